const ORDERS = [
  { id: 48247, total: 5497 },
  { id: 48265, total: 1250 },
];

export const allOrders = () => ORDERS;

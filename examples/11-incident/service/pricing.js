// Computes the price of an order. Money is in cents: whole numbers, never fractions.

const COUPONS = {
  FIVEOFF: { cents: 500 },
  SPRING10: { percent: 10 },
};

export const isCoupon = (code) => Object.hasOwn(COUPONS, code);

/** Returns the discount of a coupon. It is never more than the total. */
export function discountFor(code, subtotal) {
  if (code === undefined) return 0;
  const { cents, percent } = COUPONS[code];
  return Math.min(cents ?? Math.round((subtotal * percent) / 100), subtotal);
}

/** Splits a discount over the lines of an order, in proportion to their amounts. */
export function allocate(discount, amounts) {
  if (discount === 0) return amounts.map(() => 0);
  const total = sum(amounts);
  return amounts.map((amount) => Math.round((discount * amount) / total));
}

export const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

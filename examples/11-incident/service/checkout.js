// Turns an order into a receipt.

import { allocate, discountFor, isCoupon, sum } from "./pricing.js";

/** An error that the customer can correct. */
export class OrderRefused extends Error {}

export function checkout({ lines = [], coupon }) {
  if (lines.length === 0) throw new OrderRefused("the order has no lines");
  if (coupon !== undefined && !isCoupon(coupon)) throw new OrderRefused(`no such coupon: ${coupon}`);
  const amounts = lines.map(({ price, quantity }) => price * quantity);
  const subtotal = sum(amounts);
  const discount = discountFor(coupon, subtotal);
  const shares = allocate(discount, amounts);
  const receipt = {
    lines: lines.map(({ sku }, index) => ({ sku, amount: amounts[index], discount: shares[index] })),
    total: subtotal - discount,
  };
  assertBalanced(receipt);
  return receipt;
}

/** Refunds are paid line by line: a receipt whose lines do not add up must not leave the service. */
function assertBalanced({ lines, total }) {
  const paid = sum(lines.map(({ amount, discount }) => amount - discount));
  if (paid !== total) throw new Error(`receipt does not add up: lines ${paid}, total ${total}`);
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { checkout } from "./checkout.js";

const line = (price, quantity = 1) => ({ sku: `sku-${price}`, price, quantity });
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

test("an order costs what its lines cost", () => {
  assert.equal(checkout({ lines: [line(1999), line(450, 3)] }).total, 3349);
});

test("a coupon comes off the total", () => {
  assert.equal(checkout({ lines: [line(3000), line(2000)], coupon: "FIVEOFF" }).total, 4500);
  assert.equal(checkout({ lines: [line(3000), line(2000)], coupon: "SPRING10" }).total, 4500);
});

test("a coupon takes off no more than there is to pay", () => {
  assert.equal(checkout({ lines: [line(300)], coupon: "FIVEOFF" }).total, 0);
});

test("an unknown coupon is refused", () => {
  assert.throws(() => checkout({ lines: [line(300)], coupon: "FREE" }), /no such coupon/);
});

test("a discount that does not divide evenly is split to the cent", () => {
  const { lines, total } = checkout({ lines: [line(1999), line(1999), line(1999)], coupon: "FIVEOFF" });
  assert.equal(total, 5497);
  assert.equal(sum(lines.map(({ discount }) => discount)), 500);
});

test("no line gets a discount below zero or above its price", () => {
  for (let price = 1; price <= 120; price++) {
    for (let count = 1; count <= 12; count++) {
      const { lines } = checkout({ lines: Array.from({ length: count }, () => line(price)), coupon: "SPRING10" });
      for (const { amount, discount } of lines) assert.ok(discount >= 0 && discount <= amount, `${count} × ${price}`);
    }
  }
});

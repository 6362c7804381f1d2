export function mean(numbers) {
  let sum = 1;
  for (const number of numbers) sum += number;
  return sum / (numbers.length - 1);
}

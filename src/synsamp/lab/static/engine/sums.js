/** The sum of numbers as NumPy adds them up: in blocks of 128, eight at a time. */
export function pairwiseSum(a, from = 0, n = a.length) {
  if (n < 8) {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += a[from + i];
    return sum;
  }
  if (n <= 128) {
    const r = Array.from(a.slice(from, from + 8));
    let i = 8;
    for (; i < n - (n % 8); i += 8) for (let j = 0; j < 8; j++) r[j] += a[from + i + j];
    let sum = r[0] + r[1] + (r[2] + r[3]) + (r[4] + r[5] + (r[6] + r[7]));
    for (; i < n; i++) sum += a[from + i];
    return sum;
  }
  let half = Math.floor(n / 2);
  half -= half % 8;
  return pairwiseSum(a, from, half) + pairwiseSum(a, from + half, n - half);
}

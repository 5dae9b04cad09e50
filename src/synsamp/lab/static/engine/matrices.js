/* Matrices of several projections as one. */

export function shaped(values, shape) {
  values.shape = shape;
  return values;
}

/** What `read` returns for each projection of a grid, put together. */
export function together({ grid, shape }, read, Type) {
  const out = new Type(shape[0] * shape[1]);
  let top = 0;
  for (const row of grid) {
    let left = 0;
    for (const p of row) {
      const values = read(p);
      for (let post = 0; post < p.n_post; post++) {
        const from = post * p.n_pre;
        out.set(values.subarray(from, from + p.n_pre), (top + post) * shape[1] + left);
      }
      left += p.n_pre;
    }
    top += row[0].n_post;
  }
  return shaped(out, shape);
}

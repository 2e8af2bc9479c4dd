// The points that no other is at least as good as in both figures: {rows} by ascending x.
export function front(rows, x, y, moreX, moreY) {
  const key = (value, more) => (more ? -value : value);
  const order = rows.filter((row) => x(row) !== null && y(row) !== null)
      .sort((a, b) => key(x(a), moreX) - key(x(b), moreX) || key(y(a), moreY) - key(y(b), moreY));
  const kept = [];
  let best = Infinity;
  for (const row of order) {
    if (key(y(row), moreY) >= best) continue;
    best = key(y(row), moreY);
    kept.push(row);
  }
  return kept;
}

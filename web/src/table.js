// Columns of equal length by name, as the page's data has them and as CSV gives them.

export class Table {
  // columns: {name: [value, ...], ...}; null is an absent value.
  constructor(columns) {
    this.columns = columns;
    this.names = Object.keys(columns);
    this.rows = this.names.length ? columns[this.names[0]].length : 0;
  }

  static of(names, rows) {
    return new Table(Object.fromEntries(names.map((name, i) => [name, rows.map((row) => row[i] ?? null)])));
  }

  has(name) { return this.columns[name]?.some((value) => value !== null && value !== '') ?? false; }

  at(name, row) { return this.columns[name]?.[row] ?? null; }

  indices(holds) {
    const found = [];
    for (let row = 0; row < this.rows; ++row) if (holds(row)) found.push(row);
    return found;
  }

  pick(names, rows) {
    return new Table(Object.fromEntries(names.map((name) => [name, rows.map((row) => this.at(name, row))])));
  }

  csv() {
    const cell = (value) => {
      if (value === null || value === undefined) return '';
      const text = String(value);
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    const lines = [this.names.map(cell).join(',')];
    for (let row = 0; row < this.rows; ++row)
      lines.push(this.names.map((name) => cell(this.columns[name][row])).join(','));
    return lines.join('\n') + '\n';
  }
}

// Values in the order in which people count: numbers by size, else as they came.
export function distinct(values) {
  const all = [...new Set(values.filter((value) => value !== null))];
  return all.every((value) => typeof value === 'number') ? all.sort((a, b) => a - b) : all;
}

// Three digits that matter; whole numbers of more digits stay whole.
export function figure(value) {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value !== 'number') return String(value);
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(2);
  return String(Number(value.toFixed(Math.max(0, 2 - Math.floor(Math.log10(size))))));
}

// What columns of a study are called on axes.
const known = {
  throughput: 'Throughput, images/s',
  process_throughput_mean: 'Throughput per process, images/s',
  process_throughput_min: 'Throughput of the slowest process, images/s',
  latency_mean_ms: 'Mean latency, ms',
  latency_p50_ms: 'Latency p50, ms',
  latency_p99_ms: 'Latency p99, ms',
  power_w: 'Power, W',
  energy_per_image_mj: 'Energy per image, mJ',
  memory_mb: 'Memory, MB',
  memory_needed_mb: 'Memory that is needed, MB',
  ttft_p50_ms: 'Time to the first token p50, ms',
  ttft_p99_ms: 'Time to the first token p99, ms',
  itl_p50_ms: 'Time between tokens p50, ms',
  itl_p99_ms: 'Time between tokens p99, ms',
  tokens_per_s: 'Tokens/s',
  energy_per_token_mj: 'Energy per token, mJ',
  weights_mb: 'Weights, MB',
  kv_cache_mb: 'Keys and values, MB',
  gpu_busy: 'GPU busy, share of the time',
  batch: 'Batch',
  users: 'Users',
  context: 'Context, positions',
  poisson__s: 'Requests, 1/s',
  periodic__s: 'Requests, 1/s',
  count: 'Processes',
  gpu_mhz: 'GPU clock, MHz',
  cpu_mhz: 'CPU clock, MHz',
  emc_mhz: 'Memory clock, MHz',
};

// Without the unit, and as within a sentence.
export const plain = (name) => name.replace(/,[^,]*$/, '').replace(/^[A-Z](?![A-Z])/, (first) => first.toLowerCase());

export function title(column) {
  if (known[column]) return known[column];
  const unit = column.match(/_(ghz|mhz|ms|us|s|w|mj|mb|kb|gb)$/);
  const units = {ghz: 'GHz', mhz: 'MHz', ms: 'ms', us: 'µs', s: 's', w: 'W', mj: 'mJ', mb: 'MB', kb: 'kB', gb: 'GB'};
  const words = (unit ? column.slice(0, -unit[0].length) : column).replaceAll('_', ' ');
  return `${words[0].toUpperCase()}${words.slice(1)}${unit ? `, ${units[unit[1]]}` : ''}`;
}

// The grade of the power in a result; undefined where that is not known.
export const powerGrade = (result) => result.processes.map(({grades}) => grades?.power).find((grade) => grade);

// A sentence with the grades of the power of rows of a table of points; empty where it has none.
export function gradesOf(points, rows) {
  const all = [...new Set(rows.map((row) => points.at('power_grade', row)).filter((grade) => grade))];
  return all.length ? ` Power and energy: grade ${all.join(', ')}.` : '';
}

// A metric by its path in a result, "processes.0.latency_ms.p99", as title() writes a column.
export function metric(path) {
  const [, index, rest] = /^(?:system|processes)(?:\.(\d+))?\.(.+)$/.exec(path) ?? [null, undefined, path];
  const latency = /^(\w+)_ms\.(\w+)$/.exec(rest), name = latency ? title(latency[2] === 'mean' ? `mean_${latency[1]}_ms` : `${latency[1]}_${latency[2]}_ms`)
    : title(rest.replace(/\.mean$/, '').replaceAll('.', '_'));
  return index === undefined ? name : name.replace(/(,[^,]*)?$/, (unit) => ` of process ${index}${unit}`);
}
// Behind a value: " W"; empty where the name has no unit.
export const unit = (name) => (/, ([^,]*)$/.exec(name) ? ` ${/, ([^,]*)$/.exec(name)[1]}` : '');

// What windows of gpu_metrics are drawn of.
export const windowed = [['sm_active', 'SM active'], ['issue_slot', 'Issue slot'], ['tensor_active', 'Tensor active']];

// The budget that a power mode is named for, in W; null where its name has none.
export function budget(mode) {
  const watts = /^(\d+(?:\.\d+)?)\s*W/.exec(mode ?? '');
  return watts ? {value: Number(watts[1]), mode: watts[0]} : null;
}

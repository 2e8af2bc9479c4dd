// A small study, in the worker: a scenario with two of its keys at several values each.

const pause = 1000;  // ms between pictures of a map that is not whole yet

// What a map can show of a result; of several processes the worst, or all together.
export const metrics = {
  throughput: (result) => result.system.throughput.mean,
  latency_p99_ms: (result) => worst(result, (process) => process.latency_ms.p99),
  latency_p50_ms: (result) => worst(result, (process) => process.latency_ms.p50),
  latency_mean_ms: (result) => worst(result, (process) => process.latency_ms.mean),
  power_w: (result) => result.system.power_w?.mean ?? null,
  energy_per_image_mj: (result) => result.system.energy_per_image_mj,
  gpu_busy: (result) => result.system.gpu.busy,
};

function worst(result, get) {
  const values = result.processes.map(get);
  return values.length && values.every((value) => typeof value === 'number') ? Math.max(...values) : null;
}

// {i, j, why} or {i, j, values} of one point.
function point(ask, text, set, place) {
  const {status, text: answer} = ask({ask: 'run', text, set});
  if (status === 'problems') return {...place, why: 'refused', problems: JSON.parse(answer)};
  if (status === 'failed') return {...place, why: 'failed'};
  const result = JSON.parse(answer);
  if (result.processes.some((process) => process.status !== 'ok')) return {...place, why: 'does not fit'};
  return {...place, values: Object.fromEntries(Object.entries(metrics).map(([name, get]) => [name, get(result)]))};
}

// question: {text, x: {key, values}, y: {key, values}}; tell(cells) is called now and then with new cells.
export function sweep(ask, {text, x, y}, tell) {
  const cells = [];
  let told = 0, last = performance.now();
  x.values.forEach((valueOfX, i) => y.values.forEach((valueOfY, j) => {
    cells.push(point(ask, text, [`${x.key}=${valueOfX}`, `${y.key}=${valueOfY}`], {i, j}));
    if (performance.now() - last < pause) return;
    tell(cells.slice(told));
    [told, last] = [cells.length, performance.now()];
  }));
  return {status: 'answered', text: JSON.stringify(cells)};
}

// The first script of the page: the simulator is unpacked and compiled while the page reads the others.
import {Simulators} from './client.js';

export const simulators = new Simulators(document.getElementById('simulator').textContent, WORKER);
simulators.warm('picture');

// The line of `jostle run --format json`; rejects with what is wrong.
async function run(text) {
  const {status, text: answer} = await simulators.queue({ask: 'run', text});
  if (status === 'answered') return answer;
  throw new Error(status === 'problems' ? JSON.parse(answer).map((of) => `${of.line}: ${of.path}: ${of.message}`).join('\n') : answer);
}
window.jostle = {run};

// Guided questions: a scenario, what to guess, one thing to change, the answer, and notes for the lecturer.
import batchOrProcesses from '../../scenarios/teaching/batch_or_processes.yaml';
import batchingServer from '../../scenarios/teaching/batching_server.yaml';
import edgeOrCloud from '../../scenarios/teaching/edge_or_cloud.yaml';
import halfTheCores from '../../scenarios/teaching/half_the_cores.yaml';
import leastEnergy from '../../scenarios/teaching/least_energy.yaml';
import mps from '../../scenarios/teaching/mps.yaml';
import ownLog from '../../scenarios/teaching/own_log.yaml';
import powerLimit from '../../scenarios/teaching/power_limit.yaml';
import processesOrStreams from '../../scenarios/teaching/processes_or_streams.yaml';
import starvedTokens from '../../scenarios/teaching/starved_tokens.yaml';
import theCap from '../../scenarios/teaching/the_cap.yaml';
import theDesktop from '../../scenarios/teaching/the_desktop.yaml';
import theGovernor from '../../scenarios/teaching/the_governor.yaml';
import theHog from '../../scenarios/teaching/the_hog.yaml';
import theQuota from '../../scenarios/teaching/the_quota.yaml';
import twoProcesses from '../../scenarios/teaching/two_processes.yaml';
import utilisation from '../../scenarios/teaching/utilisation.yaml';
import whichBoard from '../../scenarios/teaching/which_board.yaml';
import {parse, stringify} from 'yaml';

const made = new Map();
// The scenario of a lesson; of one with a study, the study's.
export function scenarioOf({text, study}) {
  if (study === undefined) return text;
  if (!made.has(study)) made.set(study, stringify(parse(study).scenario));
  return made.get(study);
}

const boards = ['nano', 'xavier-nx', 'agx-xavier', 'orin-nano-4gb', 'orin-nano', 'orin-nano-super', 'orin-nx-8gb', 'orin-nx-16gb', 'agx-orin-32gb', 'agx-orin-64gb'].map((name) => `jetson-${name}`);
const throughput = (result) => result.system.throughput.mean;
const latency = (result) => result.processes[0].latency_ms.p50;
const tail = (result) => result.processes[0].latency_ms.p99;
const watts = (result) => result.system.power_w.mean;

// guesses: {ask, unit, most, of(result)}; change: {label, set}; or series: {key, values, of(result), ...} over one key,
// of which the one with the least value is guessed, or how many intervals hold what a `long` run gives. Values that are no
// numbers have `labels`; a result without a figure is called `none`.
export const lessons = [
  {
    id: 'two-processes', title: 'Why does a second program double the wait?', text: twoProcesses,
    tell: 'With this board’s GPU to itself, one process does an image of resnet50 in fp16 every 2 ms; with one batch always enqueued ahead its latency is 4 ms. Now two processes do so.',
    guesses: [{ask: 'Latency of an image (p50)', unit: 'ms', most: 20, of: latency},
      {ask: 'Images per second of both together', unit: 'images/s', most: 1000, of: throughput}],
    change: {label: 'one process alone', set: ['processes.0.count=1']},
    answer: 'The GPU works for one process at a time, so they take turns, and each waits while the other has its own. One batch is always enqueued ahead, so the latency from enqueue to completion spans two rounds. Handing over the GPU costs time in which nobody computes: together they do fewer images than one alone.',
    notes: 'Ask who expected half the throughput each and who expected the sum to stay: both forget the switch. Let students find “GPU wait” and “switch” in the chart of time.',
  },
  {
    id: 'utilisation', title: 'Is a GPU that reports 100 % full?', text: utilisation,
    tell: 'tegrastats reports a GPU load near 100 % for this detector. It seems full.',
    guesses: [{ask: 'Tensor cores active', unit: '%', most: 100, of: (result) => 100 * result.system.gpu.tensor_active},
      {ask: 'Images per second', unit: 'images/s', most: 600, of: throughput}],
    change: {label: 'a batch of 2', set: ['processes.0.batch=2']},
    answer: 'The reported load is the share of time in which something ran on the GPU, not the share of the GPU that it used. A small piece of work (a kernel) fills few of the GPU’s parts, and its start-up takes a good part of its time. A batch of 2 makes the pieces larger without adding any, and gets far more out of a GPU that was “full”.',
    notes: 'Compare “reported load” and “issue slot” in the chart of how busy the GPU is. The lesson carries over to nvidia-smi’s utilisation.',
  },
  {
    id: 'half-the-cores', title: 'Where does a fourth process stop helping?', text: halfTheCores,
    tell: 'mobilenet_v2 in PyTorch is bound by the host. Three of six cores may be used; one process does about 57 images a second, two twice as many, three three times as many. Here are four.',
    guesses: [{ask: 'Images per second of all four', unit: 'images/s', most: 300, of: throughput},
      {ask: 'Images per second of the slowest', unit: 'images/s', most: 80, of: (result) => Math.min(...result.processes.map((process) => process.throughput.mean))}],
    change: {label: 'one core more', set: ['host_cores=4']},
    answer: 'Each process needs a core all the time: to hand work to the GPU (launch), and to ask again and again whether it is done (spin). The fourth has to share one, so the total stays that of three. It stops growing at the number of cores that may be used, and one more core moves that point.',
    notes: 'The GPU is mostly idle here: a larger GPU would change nothing. Ask which resource they would buy before they open “Why”.',
  },
  {
    id: 'batch-or-processes', title: 'Eight images: in one go, or by eight programs?', text: batchOrProcesses,
    tell: 'Eight images at a time: with eight processes of batch 1, or with one process of batch 8. Both keep the GPU busy. Guess for the eight processes.',
    guesses: [{ask: 'Images per second of eight processes', unit: 'images/s', most: 1000, of: throughput},
      {ask: 'Memory held', unit: 'MB', most: 6000, of: (result) => result.system.memory.used_mb}],
    change: {label: 'one process of batch 8', set: ['processes.0.count=1', 'processes.0.batch=8']},
    answer: 'The batch wins on everything but power draw: the network’s numbers (weights) are read once for eight images, and pieces of work are large enough to fill the GPU. Processes take turns with small pieces, pay for each switch, and each holds a copy of the driver’s state and of the network in memory.',
    notes: 'Processes still pay off where work is of different kinds, must be isolated, or where the host is short (the page before).',
  },
  {
    id: 'the-cap', title: 'A third less power: how much less work?', text: theCap,
    tell: 'Without a cap this board takes about 21 W and does about 930 images a second. A cap of 14 W takes a third of the power away.',
    guesses: [{ask: 'Images per second under the cap', unit: 'images/s', most: 1200, of: throughput},
      {ask: 'Energy of an image', unit: 'mJ', most: 40, of: (result) => result.system.energy_per_image_mj}],
    change: {label: 'no cap', set: ['power_cap=null']},
    answer: 'The cap lowers the GPU’s clock step by step until the mean power is within the budget. The rest of the board hardly takes less at a lower clock, so the GPU has to save nearly all of it: throughput falls by more than power, and an image costs more energy.',
    notes: 'Let them draw power over clock first: the part that no clock changes is what makes caps dear.',
  },
  {
    id: 'least-energy', title: 'At which speed does an image cost the least energy?', study: leastEnergy,
    tell: 'A slow clock needs a low voltage, and power falls faster than the clock does. At which of 15 GPU clocks does an image cost the least energy?',
    series: {key: 'clocks.gpu', name: 'GPU clock, MHz', unit: 'mJ', values: Array.from({length: 15}, (_, i) => `${306 + 51 * i} MHz`),
      what: 'Energy per image, mJ', of: (result) => result.system.energy_per_image_mj},
    change: {label: 'the memory’s clock at its highest', set: ['clocks.emc=3199 MHz']},
    answer: 'At a low clock an image takes long, and all that time the board also takes the power that no clock changes. At the highest clock the voltage is highest. The least is between them, and it is flat: another clock nearby costs a percent or two more. The dip at slow clocks is where the memory’s clock falls by itself, which saves power too; held at its highest, the dip is gone.',
    notes: 'Ask what the curve looks like if idle power were zero, and if it were all of the power. Race-to-idle is the second case.',
  },
  {
    id: 'edge-or-cloud', title: 'Compute on the board, or send the images away?', study: edgeOrCloud,
    tell: 'Four cameras send 15 frames a second each to yolov8m. The board serves them alone, or sends each frame of 120 kB over a link of 100 Mbit/s and 20 ms round trip to an A40 that answers in a tenth of the time.',
    guesses: [{ask: 'Frames per second that the board serves, of 60', unit: 'images/s', most: 80, of: throughput},
      {ask: 'Latency p50 of the first camera', unit: 'ms', most: 150, of: latency}],
    change: {label: 'over the link to an A40', set: ['device=nvidia-a40', 'power_mode=null', 'link={bandwidth: 100 Mbit/s, rtt: 20 ms, payload: 120 kB}']},
    answer: 'Both serve all 60 frames. On the board a frame takes up to 48 ms, as four cameras take turns on one GPU. Over the link it takes 32 to 50 ms: 10 ms to send 120 kB (longer if two cameras send at once), 20 ms there and back, and a few to compute. So a GPU ten times as fast gains little: the way costs what the server saves. 60 frames of 120 kB are 58 Mbit/s: on a link of 20 Mbit/s they would queue in front of it, however fast the server is.',
    notes: 'Try bandwidth: 20 Mbit/s in the text: the backlog grows, and no percentile means anything. jostle offload finds where one side overtakes the other.',
  },
  {
    id: 'processes-or-streams', title: 'Four programs, or one program with four lanes?', text: processesOrStreams, before: ['run={duration: 60 ms, warmup: 20 ms}'],
    tell: 'Four copies of one small network on one GPU: as four processes, or as four streams of one process, as a Triton server’s instances are. Guess for the four streams; one process alone does about 1 330 images a second.',
    guesses: [{ask: 'Images per second of four streams', unit: 'images/s', most: 6000, of: throughput}],
    change: {label: 'four processes', set: ['processes.0.streams=1', 'processes.0.count=4']},
    answer: 'Streams win where kernels are small: those of several streams run side by side, where processes take turns, leave most SMs idle in theirs, and pay for each switch. In exchange nothing is isolated: one crash ends all four, and one host thread launches for all.',
    notes: 'The run is only 60 ms long so that the page answers at once; kernels that share SMs are simulated block by block.',
  },
  {
    id: 'interval', title: 'How far can a short run be trusted?', text: `name: requests by chance
device: jetson-orin-nano-super
power_mode: 25W
jetson_clocks: true
processes:
  - {model: resnet50, precision: fp16, arrivals: {poisson: 250 /s}}
run: {duration: 6 s}
`,
    tell: '250 requests a second arrive by chance. A run of 6 s gives their mean latency with a 95 % interval; a run a hundred times as long tells what is true, nearly. Of 20 short runs that differ only in their seed: how many intervals contain the truth?',
    series: {key: 'run.seed', name: 'Seed', values: Array.from({length: 20}, (_, i) => String(i + 1)), unit: 'ms',
      what: 'Mean latency, ms', of: (result) => result.processes[0].latency_ms.mean, interval: (result) => result.processes[0].latency_ms.ci95.mean,
      long: ['run.duration=600 s']},
    change: {label: 'runs four times as long', set: ['run.duration=24 s']},
    answer: 'About 19 of 20: that is what 95 % says. It is a statement about the method, not about one interval: one that misses looks like the others. Four times the time halves the width and leaves the share as it is. It covers only chance within the simulation; the 90 % prediction interval of jostle run --interval also covers what is not known about the board.',
    notes: 'Let each student take one seed, and count hands. Then ask what “95 %” would mean if all had used the same seed.',
  },
  {
    id: 'the-quota', title: 'What happens when a container has used up its share?', text: theQuota,
    tell: 'Two mobilenet_v2 in PyTorch run in one container that was started with --cpus 1.5. Each has a thread that needs a core all the time. The board has six cores, and nothing else runs; without the quota they do 114 images a second with a p99 of 40 ms.',
    guesses: [{ask: 'Images per second of both', unit: 'images/s', most: 150, of: throughput}, {ask: 'Latency p99', unit: 'ms', most: 150, of: tail}],
    change: {label: 'no quota', set: ['processes.0.container=null']},
    answer: 'The quota is no slower core but an account of 150 ms in every 100 ms: both run at full speed until it is empty, after about 75 ms, and then stand still. Throughput falls with the quota; the tail falls harder, as what is under way then takes some 25 ms longer.',
    notes: 'Look for the stripes on the timeline. Ask why a spinning thread pays for waiting.',
  },
  {
    id: 'the-desktop', title: 'Who pays for the screen?', text: theDesktop,
    tell: 'A camera’s network shares the board with two archive jobs. A desktop draws 60 frames a second, interrupts keep core 0 busy for a fifth of the time, and to be safe somebody gave the camera’s thread real-time priority. Without the desktop the archive jobs do 620 images a second together, and half of the camera’s images take less than 23 ms. With the desktop?',
    guesses: [{ask: 'Images per second of both archive jobs', unit: 'images/s', most: 800, of: (result) => result.processes.slice(1).reduce((sum, process) => sum + process.throughput.mean, 0)},
      {ask: 'Latency p50 of the camera', unit: 'ms', most: 60, of: latency}],
    change: {label: 'no desktop', set: ['compositor=false']},
    answer: 'A desktop is a context on the GPU like any other: its frames take a tenth of the time, and each costs the others two switches. The archive jobs pay, as they want the GPU all the time; the camera waits for turns that come anyway. Nor does its priority help: its thread never waits for a core, and the GPU knows nothing of the priorities of threads.',
    notes: 'The interrupts cost the camera most: set interrupts to null in the text, and its p50 falls by 5 ms, as its thread launches kernels on the core that serves them. Ask where that thread should be pinned.',
  },
  {
    id: 'the-hog', title: 'Can a program without a GPU slow the cameras down?', text: theHog,
    tell: 'Two cameras share an Orin Nano with a program whose four threads fill memory as fast as they can. It uses no GPU, and the board has six cores.',
    guesses: [{ask: 'Latency p99 of a camera', unit: 'ms', most: 60, of: tail}, {ask: 'Power of the board', unit: 'W', most: 25, of: watts}],
    change: {label: 'without the hog', set: ['processes.1=null']},
    answer: 'CPU and GPU share one memory. Kernels that are bound by it run slower beside the hog, those bound by arithmetic do not; a small detector spends little of its time on the former. What the hog costs here is power.',
    notes: 'A network that only reads its weights, as a language model does for each token, feels a hog most.',
  },
  {
    id: 'starved-tokens', title: 'Why does a chat slow down beside other programs?', text: starvedTokens,
    tell: 'A language model of 1.5 billion parameters writes 377 tokens a second when it has an H200 to itself. Now three processes classify images beside it, with no pause between batches.',
    guesses: [{ask: 'Tokens per second', unit: 'tokens/s', most: 400, of: (result) => result.processes[0].tokens.decode_per_s.mean},
      {ask: 'Images per second of one classifier', unit: 'images/s', most: 1500, of: (result) => result.processes[1].throughput.mean}],
    change: {label: 'under MPS', set: ['mps=true']},
    answer: 'In time slices a token waits for the turns of the other three, and nothing of the model is enqueued when its own turn would go on: it keeps a fifth of its rate. The classifiers have a batch enqueued ahead and use their whole turns. Under MPS the kernels of all run side by side; a decode step reads weights and leaves most SMs idle, so everybody gains, the language model most.',
    notes: 'Measured on an H200: 80 tokens a second in time slices, 245 under MPS. Ask what a camera at 30 images a second in place of a classifier would cost the chat: little of its rate, a millisecond of its 99th percentile.',
  },
  {
    id: 'power-limit', title: 'What do the last 150 watts of a card bring?', text: powerLimit,
    tell: 'Left alone, this card in a data centre takes 283 W and does about 2 990 images a second. nvidia-smi -pl 150 sets its limit to half of the 300 W that it may take.',
    guesses: [{ask: 'Images per second at 150 W', unit: 'images/s', most: 3500, of: throughput},
      {ask: 'Energy of an image', unit: 'mJ', most: 150, of: (result) => result.system.energy_per_image_mj}],
    change: {label: 'its own limit, 300 W', set: ['power_limit=300 W']},
    answer: 'The limit lowers the GPU’s clock by a third, from 1740 to 1142 MHz. Power falls by nearly half, because a slower clock needs a lower voltage too. Throughput falls by an eighth only: many kernels of a batch of 32 wait for memory, whose clock stays. So an image costs far less energy. On a small board under a cap (a question above) it was the other way round: there most of the power is not the GPU’s, and arithmetic is what counts.',
    notes: 'The card’s power is assumed, not measured: the page says so at every watt. Ask which network would lose a third (one that is bound by arithmetic), and what a data centre gains that can power twice the cards.',
  },
  {
    id: 'batching-server', title: 'Should a server wait until it has more to do at once?', text: batchingServer,
    tell: 'A server on a T4 gets 1 000 requests a second, by chance. Large batches use a GPU better, so it waits until 16 requests are there, but at most 8 ms. If it took whatever is there at once, the GPU would be busy for half of the time, and 99 of 100 requests would be answered within 2.6 ms.',
    guesses: [{ask: 'Latency p99 when it waits', unit: 'ms', most: 30, of: tail}, {ask: 'Time that the GPU is busy', unit: '%', most: 100, of: (result) => 100 * result.system.gpu.busy}],
    change: {label: 'it takes what is there at once', set: ['processes.0.max_queue_delay=0 ms']},
    answer: 'Everyone pays for the wait, and nobody gets more images: all requests are served either way. The wait buys an idle GPU, busy for a third of the time instead of half, which is worth something only if others want it. When more requests come, batches form by themselves: while one batch runs, the next one gathers.',
    notes: 'Set the rate to 3000 /s in the text: with and without a wait the server does 2 350 images a second, in batches of 16. Ask how a server should choose the longest wait: from the latency that was promised, not from the batch.',
  },
  {
    id: 'own-log', title: 'How does a log become a profile?', text: ownLog,
    tell: 'Your log says: three programs with resnet50 share this board and do 460 images a second together; one alone does 490. The simulator says 443, as its profile assumes that the GPU takes 221 µs to turn from one program to the next. At which value do run and log agree? (The log was made with this simulator and a hidden value, so there is a right answer.)',
    series: {key: 'figures.gpu.time_slicing.switch_at_expiry', name: 'Cost of a switch, µs', unit: 'images/s', values: Array.from({length: 16}, (_, i) => `${20 * i} us`),
      what: 'Distance from the log, images/s', of: (result) => Math.abs(result.system.throughput.mean - 460)},
    change: {label: 'turns of 4 ms in place of 2.1 ms', set: ['figures.gpu.time_slicing.slice=4 ms']},
    answer: 'To calibrate is to look for the value with which runs repeat measurements: here 140 µs. But with longer turns, and so fewer switches, 260 µs fits as well. One figure cannot tell two parameters apart: a second log of another kind can, such as how long one program waits for its turn. The log of one program alone says nothing of either.',
    notes: 'jostle calibrate does this for many parameters and logs at once, tells which the logs cannot tell apart, and grades what it finds “fitted”. Ask for an experiment that shows the length of a turn (a timeline; the latency of a small network beside a large one).',
  },
  {
    id: 'which-board', title: 'Which board should I buy?', text: whichBoard,
    tell: 'Four cameras send 15 frames a second each to yolov8s in fp16. Every board runs in the power mode that it comes in. Which one keeps up with the fewest watts?',
    series: {key: 'device', name: 'Board', unit: 'W', what: 'Power of boards that keep up, W', none: 'it does not keep up', ask: 'The board with the fewest watts',
      values: boards, labels: boards.map((name) => name.replace('jetson-', '')),
      of: (result) => (result.processes.every(({status, stable}) => status === 'ok' && stable) ? result.system.power_w.mean : null)},
    change: {label: 'two cameras', set: ['processes.0.count=2']},
    answer: 'The best board is the smallest one that keeps up: a larger one mostly takes more power even while it waits, and a smaller one falls further and further behind, which no saving makes good. With two cameras a smaller board is large enough. So the demand comes first, and the board second. Boards that nearly keep up may do so in another power mode, or with int8.',
    notes: 'The page knows no prices. jostle plan searches boards, power modes, precisions and batches for a demand at once, and says how sure it is of the winner. Ask what margin they would leave for a fifth camera.',
  },
  {
    id: 'the-governor', title: 'Why is an idle GPU slow?', text: theGovernor,
    tell: 'One camera sends 30 frames a second to resnet50 in fp16. With its clocks at their limits this board does a frame in 2.2 ms. Here it is as it comes out of the box.',
    guesses: [{ask: 'Latency of a frame (p50)', unit: 'ms', most: 20, of: latency},
      {ask: 'Latency of one frame in a hundred (p99)', unit: 'ms', most: 40, of: tail}],
    change: {label: 'jetson_clocks', set: ['jetson_clocks=true']},
    answer: 'A governor lowers the clock of a GPU that waits between two frames, because power falls with it. The frame then takes longer, and one that comes while clocks change longest. jetson_clocks pins them: a third of the latency, for 1.8 W more. If the slower frame is soon enough, the governor saves that for nothing.',
    notes: 'Ask what a benchmark of a board with its governor on has measured. Let students try 5 frames a second: the median more than doubles.',
  },
  {
    id: 'mps', title: 'What does MPS bring, and why does your Jetson lack it?', text: mps,
    tell: 'Four programs run resnet18 at batch 4 on one H200. With CUDA’s Multi-Process Service their kernels run at the same time. One program alone does 9 280 images a second.',
    guesses: [{ask: 'Images per second of all four', unit: 'images/s', most: 40000, of: throughput}],
    change: {label: 'in turns', set: ['sharing=time-slicing']},
    answer: 'Kernels of a batch of 4 leave most of the 132 SMs empty, and those of other programs fill them: twice what one does alone. In turns the empty SMs stay empty, and four do less than one. MPS on a Jetson is for recent CUDA releases only, and its few SMs are full sooner; streams of one process work on any board.',
    notes: 'Set the batch to 64: the gain nearly vanishes, since one kernel fills the GPU. Ask when MPS is worth its one common fault: a crash of one client may end all.',
  },
];

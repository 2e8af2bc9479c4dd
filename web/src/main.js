// The page of a report: its data is in #data; a module a kind of report draws it.
import {element} from './dom.js';
import {themeButton} from './theme.js';
import {calibrate} from './calibrate.js';
import {compare} from './compare.js';
import {explain} from './explain.js';
import {offload} from './offload.js';
import {plan} from './plan.js';
import {reproduce} from './reproduce.js';
import {run} from './run.js';
import {sweep} from './sweep.js';
import {validate} from './validate.js';

const kinds = {run, explain, compare, sweep, plan, offload, reproduce, validate, calibrate};
const data = JSON.parse(document.getElementById('data').textContent);
document.title = data.title;
const page = document.getElementById('report');
document.getElementById('top').append(element('h1', {}, data.title),
    element('span', {class: 'soft'}, `jostle ${data.version} · ${data.kind}`), themeButton());
page.replaceChildren();
kinds[data.kind](data, page);
document.documentElement.dataset.ready = 'yes';

import type { PassUpdate } from '../../test/support/phone.ts';
import { type Change, type HeldPass, shownFields } from '../../test/support/phone-pass.ts';
import type { Check } from '../pass-file-check.ts';
import { drawPass } from './draw-pass.ts';
import { clean, inColumns, type Paint, painter } from './terminal-text.ts';

/** Shows the phone's events as they happen. */
export interface Screen {
  downloaded(passes: { pass: HeldPass; checks: Check[] }[]): void;
  registered(statuses: Map<string, number>): void;
  waiting(route: { relayOrigin: string; apnsOrigin: string }, hints: string[]): void;
  pushed(topic: string): void;
  updated(updates: PassUpdate[]): void;
  unregistered(statuses: Map<string, number>): void;
  /** Shows a warning. */
  warned(message: string): void;
}

/** Prints one JSON object per line. */
export function jsonScreen(language: string, write: (line: string) => void): Screen {
  const say = (event: string, facts: object) => write(JSON.stringify({ event, ...facts }));
  const statuses = (given: Map<string, number>) => ({ statuses: Object.fromEntries(given) });
  return {
    downloaded: (passes) =>
      say('downloaded', {
        passes: passes.map(({ pass, checks }) => ({
          serialNumber: pass.content.serialNumber,
          passTypeIdentifier: pass.content.passTypeIdentifier,
          fields: Object.fromEntries(shownFields(pass, language).map(({ key, text }) => [key, text])),
          checks,
        })),
      }),
    registered: (given) => say('registered', statuses(given)),
    waiting: (route) => say('waiting', route),
    pushed: (topic) => say('pushed', { topic }),
    updated: (updates) => {
      for (const { pass: _, ...update } of updates) say('updated', update);
    },
    unregistered: (given) => say('unregistered', statuses(given)),
    warned: (message) => say('warned', { message }),
  };
}

const INDENT = '  ';
const LABEL_COLUMNS = 26;

/** For people: cards in color, one block per push. */
export function terminalScreen(stream: NodeJS.WriteStream, language: string): Screen {
  const paint = painter(stream);
  const colored = paint('bold', 'x') !== 'x';
  const print: Print = (text = '') => void stream.write(`${text === '' ? '' : INDENT}${text}\n`);
  const done: Print = (text = '') => print(`${paint('green', '✓')} ${text}`);
  const failed: Print = (text = '') => print(`${paint('red', '✗')} ${text}`);
  return {
    downloaded(passes) {
      for (const { pass, checks } of passes) {
        print();
        for (const line of drawPass(pass, language, colored)) print(line);
        print();
        for (const check of checks) printCheck(check, { done, failed, print });
      }
    },
    registered(statuses) {
      for (const [serialNumber, status] of statuses) {
        if (status < 300) done(`registered for updates of ${serialNumber}`);
        else failed(`the service answered the registration of ${serialNumber} with ${status}`);
      }
    },
    waiting({ apnsOrigin }, hints) {
      done(`pushes come from a stand-in for Apple at ${apnsOrigin}, over HTTP/2`);
      print();
      for (const hint of hints) print(paint('dim', hint));
      if (hints.length > 0) print();
      print(paint('bold', 'Waiting for a push. Enter asks for updates, Ctrl-C ends.'));
    },
    pushed(topic) {
      print();
      print(`${paint('cyan', '●')} ${clock()}  push for ${clean(topic)}`);
    },
    updated(updates) {
      if (updates.length === 0) print(paint('dim', 'nothing has changed'));
      for (const update of updates) printUpdate(update, paint, print);
    },
    unregistered(statuses) {
      print();
      for (const [serialNumber, status] of statuses) {
        if (status < 300) done(`unregistered ${serialNumber}`);
        else failed(`the service answered unregistering ${serialNumber} with ${status}`);
      }
    },
    warned: (message) => print(`${paint('yellow', '!')} ${message}`),
  };
}

type Print = (text?: string) => void;

function printCheck({ promise, passed, detail }: Check, to: { done: Print; failed: Print; print: Print }): void {
  const sentence = `${promise}${detail ? `: ${detail}` : ''}`;
  if (passed === undefined) to.print(`- ${sentence}`);
  else if (passed) to.done(sentence);
  else to.failed(sentence);
}

const STATUS_WORDS = {
  updated: 'has a new version',
  unchanged: 'is unchanged (304)',
  gone: 'no longer exists in the service',
};

function printUpdate({ serialNumber, status, pass, changes, messages }: PassUpdate, paint: Paint, print: Print): void {
  const bar = paint('cyan', '│');
  print(`${bar} ${paint('dim', `${serialNumber} ${STATUS_WORDS[status]}`)}`);
  for (const message of messages) {
    const issuer = clean(pass.content.logoText || pass.content.organizationName);
    print(`${bar} ${paint(['bold', 'inverse'], ` ${issuer} `)} ${paint('bold', clean(message))}`);
  }
  for (const change of changes) print(`${bar} ${changeText(change, paint)}`);
}

function changeText({ label, from, to }: Change, paint: Paint): string {
  const before = from === undefined ? '' : `${paint('red', clean(from) || '(empty)')} → `;
  const after = to === undefined ? paint('dim', 'removed') : paint('green', clean(to) || '(empty)');
  return `${inColumns(clean(label), LABEL_COLUMNS)} ${before}${after}`;
}

function clock(): string {
  return new Date().toTimeString().slice(0, 8);
}

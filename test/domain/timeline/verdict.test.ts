import { expect, test } from 'vitest';
import type { AppleAnswers, Fact } from '../../../src/domain/pass-facts/facts.ts';
import { type JudgedPass, judgePass, type ReadTimeline } from '../../../src/domain/timeline/verdict.ts';

const PASS: JudgedPass = {
  version: 3,
  templateVersion: 1,
  publishedAt: null,
  numberOfActive: 1,
  numberOfInactive: 0,
  googlePublishedAt: null,
  createdAt: 0,
};
const ADDED: ReadTimeline['rows'] = [{ type: 'device_added', at: 10, wallet: 'apple', isActive: true }];
const SAVED: ReadTimeline['rows'] = [{ type: 'device_added', at: 10, wallet: 'google', isActive: true }];

const changed = (at: number, version: number, isShown = true): Fact => ({
  type: 'changed',
  at,
  actor: { type: 'system', id: null },
  version,
  isShown,
  members: [],
});
const answered = (at: number, answers: Partial<AppleAnswers>, cause: 'change' | 'text' | number = 'change'): Fact => ({
  type: 'apple_answered',
  at,
  cause,
  answers: { accepted: 0, unregistered: 0, refused: 0, postponed: 0, ...answers },
  reason: 'Busy',
});
const asked = (at: number): Fact => ({ type: 'device_asked', at, device: 'abc' });
const downloaded = (at: number, version: number, templateVersion = 1): Fact => ({
  type: 'file_downloaded',
  at,
  version,
  templateVersion,
  isKnown: false,
});
const google = (at: number, outcome: 'accepted' | 'refused' | 'postponed', version?: number): Fact => ({
  type: 'google_answered',
  at,
  outcome,
  version,
});
const pending = (at: number, wallet: 'apple' | 'google' = 'apple'): ReadTimeline['rows'][number] => ({
  type: 'push_pending',
  at,
  wallet,
  attempts: 0,
  text: null,
});

interface Situation {
  pass?: Partial<JudgedPass>;
  facts?: Fact[];
  rows?: ReadTimeline['rows'];
  verdict: object;
}

const SITUATIONS: [string, Situation][] = [
  ['no device has it', { pass: { numberOfActive: 0 }, rows: [], verdict: { kind: 'no_device' } }],
  ['all have removed it', { pass: { numberOfActive: 0, numberOfInactive: 2 }, verdict: { kind: 'removed' } }],
  ['nothing changed since it was added', { pass: { version: 1 }, verdict: { kind: 'current', at: 10 } }],
  [
    'the device has downloaded the latest version',
    {
      facts: [changed(20, 3), answered(21, { accepted: 1 }), asked(22), downloaded(23, 3)],
      verdict: { kind: 'current', at: 23 },
    },
  ],
  [
    'it was downloaded before the answer was noted',
    { facts: [changed(20, 3), downloaded(21, 3), answered(22, { accepted: 1 })], verdict: { kind: 'current', at: 21 } },
  ],
  [
    'what changed since is nothing that holders see',
    { facts: [changed(20, 2), downloaded(22, 2), changed(30, 3, false)], verdict: { kind: 'current', at: 22 } },
  ],
  ['the push waits', { facts: [changed(20, 3)], rows: [...ADDED, pending(20)], verdict: { kind: 'waiting', at: 20 } }],
  [
    'Apple postponed the push',
    {
      facts: [changed(20, 3), answered(25, { postponed: 1 })],
      rows: [...ADDED, pending(20)],
      verdict: { kind: 'postponed', at: 25, reason: 'Busy' },
    },
  ],
  [
    'Apple accepted the push, and the device has not asked',
    {
      facts: [changed(12, 2), downloaded(14, 2), changed(20, 3), answered(21, { accepted: 1 })],
      verdict: { kind: 'accepted', at: 21, behind: 1 },
    },
  ],
  [
    'the device asked before the change, and not since',
    { facts: [asked(15), changed(20, 3), answered(21, { accepted: 1 })], verdict: { kind: 'accepted', at: 21 } },
  ],
  [
    'the device asked and did not download',
    { facts: [changed(20, 3), answered(21, { accepted: 1 }), asked(22)], verdict: { kind: 'asked', at: 22 } },
  ],
  [
    'Apple refused the push',
    { facts: [changed(20, 3), answered(21, { refused: 1 })], verdict: { kind: 'refused', reason: 'Busy' } },
  ],
  [
    'the device is gone at Apple',
    { facts: [changed(20, 3), answered(21, { unregistered: 1 })], verdict: { kind: 'unregistered' } },
  ],
  [
    'the push was given up',
    {
      facts: [changed(20, 3), { type: 'push_given_up', at: 90, wallet: 'apple' }],
      verdict: { kind: 'given_up', at: 90 },
    },
  ],
  ['nothing is noted of the push', { facts: [changed(20, 3)], verdict: { kind: 'unknown', at: 20 } }],
  [
    'a text to many passes was accepted, and not asked for',
    { facts: [downloaded(12, 2), answered(20, { accepted: 1 }, 'text')], verdict: { kind: 'accepted', at: 20 } },
  ],
  [
    'the template was published, and the device has the version before',
    {
      pass: { templateVersion: 2, publishedAt: 20 },
      facts: [downloaded(12, 3, 1), answered(21, { accepted: 1 }, 2)],
      verdict: { kind: 'accepted', at: 21 },
    },
  ],
  [
    'one of two devices has downloaded it',
    {
      pass: { numberOfActive: 2 },
      facts: [changed(20, 3), answered(21, { accepted: 2 }), asked(22), downloaded(23, 3)],
      verdict: { kind: 'partly_current', downloads: 1, devices: 2 },
    },
  ],
  [
    'Google has the version',
    {
      rows: SAVED,
      facts: [changed(20, 3), google(21, 'accepted', 3)],
      verdict: { wallet: 'google', kind: 'current', at: 21 },
    },
  ],
  [
    'Google refused the object',
    { rows: SAVED, facts: [changed(20, 3), google(21, 'refused', 3)], verdict: { wallet: 'google', kind: 'refused' } },
  ],
  [
    'the update of Google waits',
    {
      rows: [...SAVED, pending(20, 'google')],
      facts: [changed(20, 3)],
      verdict: { wallet: 'google', kind: 'waiting', at: 20 },
    },
  ],
];

test.each(SITUATIONS)('%s', (_, { pass, facts = [], rows = ADDED, verdict }) => {
  const [first, ...others] = judgePass({ ...PASS, ...pass }, { facts, rows });
  expect(first).toMatchObject(verdict);
  expect(others).toEqual([]);
});

test('a pass in both wallets has a verdict for each', () => {
  const verdicts = judgePass({ ...PASS, numberOfActive: 2 }, { facts: [], rows: [...ADDED, ...SAVED] });
  expect(verdicts.map((one) => 'wallet' in one && one.wallet)).toEqual(['apple', 'google']);
});

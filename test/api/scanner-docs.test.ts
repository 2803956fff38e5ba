import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { VALIDITY_REASONS } from '../../src/domain/validity-reasons.ts';
import { freshAccount } from '../support/api.ts';

/* Runs the commands of docs/scanner.md, verbatim and in order, in one shell. */

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/scanner.md'), 'utf8');
const END = '<end of a block>';

interface Block {
  language: string;
  text: string;
}

/** The code blocks in order; those in a list are indented. */
const blocks: Block[] = [...PAGE.matchAll(/^( *)```(\w+)\n(.*?)^ *```$/gms)].map(([, indent = '', language, text]) => ({
  language: language!,
  text: text!.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
}));
const commands = blocks.filter(({ language }) => language === 'sh');

/** Each reply on the page, after the commands that produce it. */
const replies = blocks.flatMap(({ language, text }, i) =>
  language === 'json' ? [{ i, shown: JSON.parse(text) }] : [],
);

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Makes a reply comparable, with any identifier equal to any other. */
const comparable = (reply: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(reply).map(([name, value]) => [name, UUID.test(String(value)) ? 'identifier' : value]),
  );

const missing = ['bash', 'curl', 'jq'].find((tool) => spawnSync(tool, ['--version']).status !== 0);

describe('the page about the scanner', () => {
  test.skipIf(missing)(
    `shows the actual replies${missing ? ` (skipped: there is no ${missing} here)` : ''}`,
    async () => {
      const { apiKey } = await freshAccount({ timezone: 'Europe/Vienna' });
      const script = ['set -euo pipefail', ...commands.flatMap(({ text }) => [text, `printf '%s' '${END}'`])].join(
        '\n',
      );
      const env = { ...process.env, BASE: inject('worker').origin, KEY: apiKey };
      const printed = execFileSync('bash', ['-c', script], { encoding: 'utf8', env }).split(END);
      for (const { i, shown } of replies) {
        const command = blocks[i - 1]!;
        const output = printed[commands.indexOf(command)]!;
        expect(comparable(JSON.parse(output)), command.text).toEqual(comparable(shown));
      }
    },
  );

  test('shows a reply for the time and for each functionality, and names every reason in order', () => {
    expect(replies).toHaveLength(8);
    const types = [...PAGE.matchAll(/"passFunctionality": \{"type": "(\w+)"\}/g)].map(([, type]) => type);
    expect(types).toEqual(['oncePerDay', 'stampCollect', 'stampSpend', 'loyalty', 'prepaid']);
    const rows = [...PAGE.matchAll(/^\| `(\w+)` \| [13] \|/gm)].map(([, reason]) => reason);
    expect(rows).toEqual([...VALIDITY_REASONS]);
  });
});

import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createAccount } from '../../../src/domain/accounts/create-account.ts';
import { actForAccount } from '../../../src/domain/accounts/find-account.ts';
import type { AccountContext, Context } from '../../../src/domain/context.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { openDatabase } from '../../../src/platform/db.ts';
import type { Env } from '../../../src/platform/env.ts';
import { withJobs } from '../../support/fake-queue.ts';
import { memoryD1 } from '../../support/memory-d1.ts';
import { Random } from '../../support/random.ts';
import { makeTemplate } from '../search/crowd.ts';

/* The stored size of a pass and its event doesn't depend on the machine. Indexes are included. */

const PASSES = 2_000;
/** Row, indexes and search index of a pass with six properties. */
const PASS_BYTES_MAX = 1_460;
/** An event that no webhook subscribes to. */
const EVENT_BYTES_MAX = 230;

const SYLLABLES = ['an', 'be', 'ka', 'lo', 'mi', 'ner', 'ros', 'sa', 'ter', 'vin', 'wal', 'zo'];
const random = new Random(20261123);

function word(): string {
  const text = Array.from({ length: 2 + random.below(3) }, () => SYLLABLES[random.below(SYLLABLES.length)]).join('');
  return text[0]!.toUpperCase() + text.slice(1);
}

const digits = (from: number, count: number) => String(from + random.below(count)).padStart(2, '0');

async function openAccount({ d1 }: ReturnType<typeof memoryD1>): Promise<AccountContext> {
  const env = { DB: d1, BASE_URL: '', ENCRYPTION_KEY: randomBytes(32).toString('base64') } as Env;
  const baseUrl = 'https://passes.example';
  const ctx: Context = { env, ...openDatabase(d1), baseUrl, requestId: 'storage', waitUntil: () => {} };
  const { account } = await createAccount(ctx, { name: 'Test account' });
  return withJobs(await actForAccount(ctx, account.id));
}

test('a pass with six properties takes few bytes, including its indexes and search, and so does an event', async () => {
  const memory = memoryD1();
  const ctx = await openAccount(memory);
  const templateId = await makeTemplate(ctx);
  for (let i = 0; i < PASSES; i++) {
    const sent = {
      userProvidedId: `member-${String(i).padStart(9, '0')}`,
      'Full name': `${word()} ${word()}`,
      Level: ['Basic', 'Gold', 'Platin'][random.below(3)],
      Points: String(random.below(2_000)),
      Birthday: `19${digits(10, 90)}-${digits(1, 12)}-${digits(1, 28)}`,
      Newsletter: random.oneIn(2),
      Notes: `paid in ${word()}`,
    };
    await createPass(ctx, templateId, sent, { wait: false });
  }
  const sizes = memory.database
    .prepare(
      `select name, sum(pgsize) / ? as bytes from dbstat where name glob 'passes*' or name glob 'pass_[dt]*' group by name
       having count(*) > 1 order by 2 desc`,
    )
    .all(PASSES) as { name: string; bytes: number }[];
  const sum = sizes.reduce((bytes, { bytes: own }) => bytes + own, 0);
  expect(sum, JSON.stringify(sizes)).toBeLessThanOrEqual(PASS_BYTES_MAX);
  const [events] = memory.database
    .prepare("select sum(pgsize) / ? as bytes from dbstat where name glob 'account_events*'")
    .all(PASSES) as { bytes: number }[];
  expect(events!.bytes).toBeLessThanOrEqual(EVENT_BYTES_MAX);
});

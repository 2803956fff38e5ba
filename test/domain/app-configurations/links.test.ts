import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isLinkProof, LINK_PROOF_HOURS, proveLink } from '../../../src/domain/app-configurations/link-secrets.ts';
import { unlockLink } from '../../../src/domain/app-configurations/links.ts';
import { configurationChoices, openLink } from '../../../src/domain/app-configurations/open-link.ts';
import { PIN_LOCK_MINUTES, PIN_TRIES_MAX } from '../../../src/domain/passes/page/pin.ts';
import { openScanner } from '../app-scans/scanner-samples.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());

const expiredScanner = async () => openScanner(await database.accountContext(), {}, '2020-01-01 00:00');
const wrong = (pin: string) => (pin === '000000' ? '000001' : '000000');

describe('the PIN of a link', () => {
  test('unlocks the link, and resets earlier wrong ones', async () => {
    const { ctx, pin, open } = await expiredScanner();
    const { link, isExpired } = await open();
    expect(isExpired).toBe(true);
    for (let round = 0; round < 2; round++) {
      for (let i = 1; i < PIN_TRIES_MAX; i++) expect(await unlockLink(ctx, link, wrong(pin))).toBe('wrong');
      expect(await unlockLink(ctx, link, ` ${pin} `)).toBe('right');
    }
  });

  test('is locked by the fifth wrong one for a quarter of an hour, even if they are simultaneous', async () => {
    const { ctx, pin, open } = await expiredScanner();
    const { link } = await open();
    const tries = await Promise.all(Array.from({ length: 20 }, () => unlockLink(ctx, link, wrong(pin))));
    expect(tries.filter((result) => result === 'wrong')).toHaveLength(PIN_TRIES_MAX - 1);
    expect(await unlockLink(ctx, link, pin)).toBe('locked');
    const later = Date.now() + PIN_LOCK_MINUTES * 60_000 + 1;
    expect(await unlockLink(ctx, link, wrong(pin), later)).toBe('wrong');
    expect(await unlockLink(ctx, link, pin, later)).toBe('right');
  });

  test('is proven for twelve hours by a text for this link only', async () => {
    const { ctx, open } = await expiredScanner();
    const { link } = await open();
    const other = (await (await expiredScanner()).open()).link;
    const proof = proveLink(ctx, link);
    expect(isLinkProof(ctx, link, proof)).toBe(true);
    expect(isLinkProof(ctx, other, proof)).toBe(false);
    expect(isLinkProof(ctx, link, proof, Date.now() + LINK_PROOF_HOURS * 60 * 60_000 + 1)).toBe(false);
    for (const forged of [undefined, '', `${proof}x`, proof.replace(/^\d/, '9')]) {
      expect(isLinkProof(ctx, link, forged)).toBe(false);
    }
  });
});

test('a link that allows changing opens the configurations of its account, and no others', async () => {
  const ctx = await database.accountContext();
  const [door, exit, foreign] = [
    await openScanner(ctx),
    await openScanner(ctx, { name: 'Exit' }),
    await expiredScanner(),
  ];
  const opened = await door.open();
  expect((await configurationChoices(opened)).map(({ id }) => id)).toEqual([door.configurationId]);
  await database.d1
    .prepare('update app_configuration_links set can_change_config = 1 where id = ?')
    .bind(opened.link.id)
    .run();
  const choices = await configurationChoices(await door.open());
  expect(choices.map(({ name }) => name)).toEqual(['Door', 'Exit']);
  expect((await openLink(ctx, door.token, exit.configurationId))?.configuration.name).toBe('Exit');
  expect(await openLink(ctx, door.token, foreign.configurationId)).toBeUndefined();
});

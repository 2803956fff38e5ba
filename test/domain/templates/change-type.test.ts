import { afterAll, beforeAll, expect, test } from 'vitest';
import { patchTemplate } from '../../../src/domain/template-changes/change-template.ts';
import { type LocalDatabase, openMemoryDatabase } from '../local-database.ts';
import { makeTemplate } from '../search/crowd.ts';

let database: LocalDatabase;
beforeAll(async () => {
  database = openMemoryDatabase();
});
afterAll(() => database.close());

/** Counts a pass, whose content doesn't matter here. */
const addPass = (templateId: string) =>
  database.d1.prepare('update templates set pass_count = 1 where id = ?').bind(templateId).run();

const FLIGHT = { type: 'boardingPass', transitType: 'PKTransitTypeAir' } as const;
const TRAIN = { type: 'boardingPass', transitType: 'PKTransitTypeTrain' } as const;
const BUS = { type: 'boardingPass', transitType: 'PKTransitTypeBus' } as const;
const EVENT = { type: 'eventTicket' } as const;
const EVENT_WITH_BACKGROUND = { type: 'eventTicketBackground' } as const;

test.each([
  ['flight', 'train', FLIGHT, TRAIN],
  ['train', 'flight', TRAIN, FLIGHT],
  ['coupon', 'event ticket', { type: 'coupon' } as const, EVENT],
])('only a template without passes can change its kind from %s to %s', async (_, __, before, after) => {
  const ctx = await database.accountContext();
  const templateId = await makeTemplate(ctx, before);
  await expect(patchTemplate(ctx, templateId, after)).resolves.toBeDefined();
  await patchTemplate(ctx, templateId, before);
  await addPass(templateId);
  await expect(patchTemplate(ctx, templateId, after)).rejects.toMatchObject({ kind: 'invalid' });
});

test.each([
  [TRAIN, BUS],
  [EVENT, EVENT_WITH_BACKGROUND],
])('a template with passes may change to a type that wallets treat the same: %j, %j', async (before, after) => {
  const ctx = await database.accountContext();
  const templateId = await makeTemplate(ctx, before);
  await addPass(templateId);
  await expect(patchTemplate(ctx, templateId, after)).resolves.toBeDefined();
});

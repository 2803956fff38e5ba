import { eq } from 'drizzle-orm';
import { vi } from 'vitest';
import type { AccountContext } from '../../../src/domain/context.ts';
import { expirationOf } from '../../../src/domain/passes/card/expiration.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { filePath, pagePath } from '../../../src/domain/passes/page/links.ts';
import { passes } from '../../../src/domain/passes/table.ts';
import { createProject } from '../../../src/domain/projects/projects.ts';
import { createTemplate } from '../../../src/domain/templates/create-template.ts';
import { TemplateDefinition } from '../../../src/domain/templates/definition.ts';
import { getDefinition } from '../../../src/domain/templates/get-template.ts';
import { templates } from '../../../src/domain/templates/table.ts';
import { sampleTemplate, type TemplateInput } from '../../support/samples.ts';
import type { ModelPass } from './model.ts';

/** A template's properties by type, with IDs that are the same in each run. */
export const PROPERTIES: (NonNullable<TemplateInput['additionalProperties']>[number] & { id: string; name: string })[] =
  [
    { id: '000000000000a.00000001', name: 'Full name', type: 'text' },
    { id: '000000000000a.00000002', name: 'Level', type: 'select', options: ['Basic', 'Gold', 'Platin'] },
    { id: '000000000000a.00000003', name: 'Points', type: 'number' },
    { id: '000000000000a.00000004', name: 'Birthday', type: 'date' },
    { id: '000000000000a.00000005', name: 'Appointment', type: 'datetime' },
    { id: '000000000000a.00000006', name: 'Newsletter', type: 'checkbox' },
    { id: '000000000000a.00000007', name: 'Notes', type: 'textarea' },
  ];

export async function makeTemplate(ctx: AccountContext, overrides: Partial<TemplateInput> = {}): Promise<string> {
  const input = sampleTemplate({ additionalProperties: PROPERTIES, downloadPinEnabled: true, ...overrides });
  return (await createTemplate(ctx, TemplateDefinition.parse(input))).identifier;
}

const COLORS = ['labelColor', 'foregroundColor', 'backgroundColor', 'footerBackgroundColor'] as const;

export const makeProject = (ctx: AccountContext) => createProject(ctx, 'Project');

/** Creates a pass at a given time, and returns its identifier. */
export async function makePass(
  ctx: AccountContext,
  templateId: string,
  at: number,
  sent: Record<string, unknown>,
): Promise<string> {
  vi.setSystemTime(at);
  return (await createPass(ctx, templateId, sent, { wait: false })).pass.id;
}

/** Formats as `Y-m-d H:i:s` in a zone, using the platform's own calendar. */
function shownAt(millis: number | null, timeZone: string): string | null {
  if (millis === null) return null;
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return format.format(millis);
}

/** Returns an account's passes as the model sees them, newest first. */
export async function modelPasses(ctx: AccountContext): Promise<ModelPass[]> {
  const rows = await ctx.db
    .select({ pass: passes, projectId: templates.projectId, published: templates.publishedVersion })
    .from(passes)
    .innerJoin(templates, eq(templates.id, passes.templateId))
    .where(eq(passes.accountId, ctx.account.id));
  const { timezone } = ctx.account;
  const model = rows.map(async ({ pass, projectId, published }): Promise<ModelPass> => {
    const definition = await getDefinition(ctx, pass.templateId, Math.max(pass.templateVersion, published));
    const date = (millis: number | null) => ({ kind: 'date' as const, value: shownAt(millis, timezone) });
    const text = (value: string | null) => ({ kind: 'text' as const, value });
    const number = (value: number | null) => ({ kind: 'number' as const, value });
    const flag = (value: boolean) => ({ kind: 'flag' as const, value });
    const image = ({ appearance }: typeof pass, role: 'thumbnail' | 'background' | 'logo') => {
      const digest = appearance.images?.[role]?.sha256;
      return text(digest ? `${ctx.baseUrl}/images/${digest}` : null);
    };
    const link = (path: string) => ({ kind: 'link' as const, value: ctx.baseUrl + path });
    const fields: ModelPass['fields'] = {
      identifier: text(pass.id),
      templateId: text(pass.templateId),
      passTemplateName: text(definition.name),
      userProvidedId: text(pass.userProvidedId),
      barcodeValue: text(pass.barcodeValue),
      generatedId: text(pass.generatedId),
      bundleId: text(pass.bundleId),
      groupingIdentifier: text(pass.groupingIdentifier),
      emailRecipient: text(pass.emailRecipient),
      phoneRecipient: text(pass.phoneRecipient),
      storedValue: number(pass.storedValue),
      createdOn: date(pass.createdAt),
      modifiedOn: date(pass.modifiedAt),
      expirationDate: date(pass.expirationAt),
      relevantDate: date(pass.relevantAt),
      validAsOfDate: date(pass.validAsOfAt),
      lastUsage: date(pass.lastUsageAt),
      firstDownloadedAt: date(pass.firstDownloadedAt),
      numberOfActive: number(pass.numberOfActive),
      numberOfInactive: number(pass.numberOfInactive),
      numberOfPrinted: number(pass.numberOfPrinted),
      voided: flag(pass.voided),
      redeemed: flag(pass.redeemed),
      active: flag(pass.numberOfActive > 0),
      downloadPage: link(pagePath(ctx.env, pass)),
      linkToPassPage: link(pagePath(ctx.env, pass)),
      passFileUri: link(filePath(ctx.env, pass)),
      walletSaveUri: text(null),
      effectiveExpirationDate: date(expirationOf(definition, pass, timezone) ?? null),
      downloadEnabledUntil: date(pass.downloadEnabledUntilAt),
      barcodeAlternativeText: text(pass.barcodeAlternativeText),
      downloadPin: text(pass.downloadPin),
      ...Object.fromEntries(COLORS.map((name) => [name, text(pass.appearance.colors?.[name] ?? null)])),
      urlToThumbnail: image(pass, 'thumbnail'),
      urlToBackground: image(pass, 'background'),
      urlToLogo: image(pass, 'logo'),
      eligibleValidationPlaces: { kind: 'list', value: pass.appearance.eligibleValidationPlaces ?? null },
    };
    const isShown = (name: string) => !['lastUsage', 'numberOfPrinted', 'active'].includes(name);
    const builtIn = Object.entries(fields).flatMap(([name, { kind, value }]) =>
      isShown(name) && ['text', 'number', 'date'].includes(kind) && !name.startsWith('urlTo') ? [value] : [],
    );
    for (const { id, name, type } of definition.additionalProperties) {
      const kind =
        ({ number: 'number', date: 'writtenDate', datetime: 'writtenDate', checkbox: 'flag' } as const)[
          type as string
        ] ?? 'text';
      fields[name] = fields[id] = { kind, value: pass.properties[id] ?? null };
    }
    const own = Object.values(pass.properties).filter((value) => typeof value === 'string');
    const flight = Object.values(pass.flight ?? {});
    const texts = [...builtIn, ...own, ...flight].filter((value) => value !== null && value !== undefined).map(String);
    return { id: pass.id, templateId: pass.templateId, projectId, fields, texts };
  });
  return (await Promise.all(model)).sort((a, b) => (a.id < b.id ? 1 : -1));
}

import { ConfigurationFields } from '../../../src/domain/app-configurations/configuration-fields.ts';
import { createLink } from '../../../src/domain/app-configurations/links.ts';
import type { OpenedLink } from '../../../src/domain/app-configurations/open-link.ts';
import { openLink } from '../../../src/domain/app-configurations/open-link.ts';
import { createConfiguration } from '../../../src/domain/app-configurations/write-configuration.ts';
import { openLinkForScan, scanByLink } from '../../../src/domain/app-scans/create-scan.ts';
import type { NewScan, ScanResult } from '../../../src/domain/app-scans/scan-plan.ts';
import type { AccountContext } from '../../../src/domain/context.ts';
import { createPass } from '../../../src/domain/passes/create-pass.ts';
import { getPass } from '../../../src/domain/passes/find-pass.ts';
import type { Pass } from '../../../src/domain/passes/table.ts';
import { createTemplate } from '../../../src/domain/templates/create-template.ts';
import { TemplateDefinition } from '../../../src/domain/templates/definition.ts';
import { sampleTemplate, type TemplateInput } from '../../support/samples.ts';

/** An account's scanner, with a link to its app. */
export interface Scanner {
  ctx: AccountContext;
  configurationId: string;
  templateId: string;
  token: string;
  pin: string;
  /** Opens the link like the app. */
  open(): Promise<OpenedLink>;
  /** Scans through the link, in two round trips. */
  scan(barcode: string, more?: Partial<NewScan>): Promise<ScanResult>;
  createPass(fields?: Record<string, unknown>): Promise<Pass>;
  readPass(id: string): Promise<Pass>;
}

/**
 * Creates a configuration, by default one that voids, with a link and a template. `template` overrides members of the
 * sample.
 */
export async function openScanner(
  ctx: AccountContext,
  fields: object = {},
  validTo?: string,
  template: Partial<TemplateInput> = {},
): Promise<Scanner> {
  const definition = TemplateDefinition.parse(sampleTemplate({ validValidationPlaces: ['Hall'], ...template }));
  const { identifier: templateId } = await createTemplate(ctx, definition);
  const sent = ConfigurationFields.parse({ name: 'Door', scanMode: 0, ...fields });
  const { configuration } = await createConfiguration(ctx, sent);
  const { token, pin } = await createLink(ctx, configuration.id, { canChangeConfig: false, validTo });
  return {
    ctx,
    configurationId: configuration.id,
    templateId,
    token,
    pin,
    open: async () => (await openLink(ctx, token))!,
    async scan(barcode, more = {}) {
      const scan = { barcode, clientId: crypto.randomUUID(), ...more };
      return scanByLink((await openLinkForScan(ctx, token, scan))!, scan);
    },
    createPass: async (sentFields = {}) => (await createPass(ctx, templateId, sentFields, { wait: true })).pass,
    readPass: async (id) => (await getPass(ctx, id)).pass,
  };
}

import { Hono } from 'hono';
import { z } from 'zod';
import { ConfigurationFields } from '../../domain/app-configurations/configuration-fields.ts';
import { createConfiguration } from '../../domain/app-configurations/create-configuration.ts';
import { deleteConfiguration } from '../../domain/app-configurations/delete-configuration.ts';
import { getListedConfiguration, listConfigurations } from '../../domain/app-configurations/find-configuration.ts';
import { createLink, deleteLink, LINK_DAYS } from '../../domain/app-configurations/links.ts';
import { updateConfiguration } from '../../domain/app-configurations/update-configuration.ts';
import { DateTimeText } from '../../domain/fields.ts';
import { lowerUuid } from '../../platform/ids.ts';
import type { ApiEnv } from '../api-env.ts';
import { operation, validate } from '../operation.ts';
import { ConfigurationView, configurationView, LinkView, linkView } from './appconfiguration-view.ts';

const EXAMPLE = {
  name: 'Main entrance',
  scanMode: 0,
  place: 'Foyer',
  additionalProperties: [{ name: 'Coat check', type: 'boolean' }],
  backgroundColor: '#14213d',
  textColor: '#ffffff',
};

const WrittenView = z.object({ configuration: z.array(ConfigurationView).length(1) });

const LinkInput = z.object({
  canChangeConfig: z.boolean().nullish(),
  validTo: DateTimeText.nullish(),
});

export const appConfigurationRoutes = new Hono<ApiEnv>()
  .get(
    '/',
    operation({
      id: 'listAppConfigurations',
      summary: 'List app configurations',
      tag: 'Validation',
      scope: 'scans:read',
      replies: {
        200: {
          description: 'All app configurations with their links, oldest first',
          schema: z.array(ConfigurationView),
        },
      },
    }),
    async (c) => {
      const { ctx } = c.var;
      const found = await listConfigurations(ctx);
      return c.json(found.map((one) => configurationView(ctx, one)));
    },
  )
  .get(
    '/:configuration',
    operation({
      id: 'readAppConfiguration',
      summary: 'Read an app configuration',
      tag: 'Validation',
      scope: 'scans:read',
      replies: { 200: { description: 'The app configuration', schema: ConfigurationView } },
      failures: [404],
    }),
    async (c) => {
      const { ctx } = c.var;
      return c.json(configurationView(ctx, await getListedConfiguration(ctx, lowerUuid(c.req.param('configuration')))));
    },
  )
  .post(
    '/',
    operation({
      id: 'createAppConfiguration',
      summary: 'Create an app configuration',
      description:
        'Says what is validated and what a scan does: with `scanMode` 0 it voids the pass, with 1 it notes attendance. Without `passTemplateId` and `passTemplateIds` passes of all templates are validated.',
      tag: 'Validation',
      scope: 'scans:write',
      example: EXAMPLE,
      replies: { 201: { description: 'Created', schema: WrittenView } },
      failures: [404],
    }),
    validate('json', ConfigurationFields),
    async (c) => {
      const { ctx } = c.var;
      const created = await createConfiguration(ctx, c.req.valid('json'));
      return c.json({ configuration: [configurationView(ctx, created)] }, 201);
    },
  )
  .put(
    '/:configuration',
    operation({
      id: 'updateAppConfiguration',
      summary: 'Replace an app configuration',
      description:
        'What is not sent takes its default. Additional properties that are named again, by `id` or by name and type, keep their `id`; links and scans stay.',
      tag: 'Validation',
      scope: 'scans:write',
      example: { ...EXAMPLE, scanMode: 1 },
      replies: { 200: { description: 'Replaced', schema: WrittenView } },
      failures: [404],
    }),
    validate('json', ConfigurationFields),
    async (c) => {
      const { ctx } = c.var;
      const updated = await updateConfiguration(ctx, lowerUuid(c.req.param('configuration')), c.req.valid('json'));
      return c.json({ configuration: [configurationView(ctx, updated)] });
    },
  )
  .delete(
    '/:configuration',
    operation({
      id: 'deleteAppConfiguration',
      summary: 'Delete an app configuration, its links and its scans',
      description: 'Passes stay as the scans left them.',
      tag: 'Validation',
      scope: 'scans:write',
      replies: { 200: { description: 'Deleted; no body' } },
      failures: [404],
    }),
    async (c) => {
      await deleteConfiguration(c.var.ctx, lowerUuid(c.req.param('configuration')));
      return c.body(null, 200);
    },
  )
  .post(
    '/:configuration/link',
    operation({
      id: 'createAppConfigurationLink',
      summary: 'Create a link to the validation web app',
      description: `\`branchLink\` opens the app on any phone. From \`validTo\` on, by default after ${LINK_DAYS} days, it asks for \`unlockPin\`. With \`canChangeConfig\` the app may change to other configurations of the account.`,
      tag: 'Validation',
      scope: 'scans:write',
      example: { canChangeConfig: false, validTo: '2027-05-15 02:00' },
      replies: { 201: { description: 'Created', schema: LinkView } },
      failures: [404],
    }),
    validate('json', LinkInput),
    async (c) => {
      const { ctx } = c.var;
      const { canChangeConfig, validTo } = c.req.valid('json');
      const asked = { canChangeConfig: canChangeConfig ?? false, validTo: validTo ?? undefined };
      return c.json(linkView(ctx, await createLink(ctx, lowerUuid(c.req.param('configuration')), asked)), 201);
    },
  )
  .delete(
    '/:configuration/link/:link',
    operation({
      id: 'deleteAppConfigurationLink',
      summary: 'Delete a link to the validation web app',
      description: 'Its address opens nothing from then on.',
      tag: 'Validation',
      scope: 'scans:write',
      replies: { 200: { description: 'Deleted; no body' } },
      failures: [404],
    }),
    async (c) => {
      await deleteLink(c.var.ctx, lowerUuid(c.req.param('configuration')), lowerUuid(c.req.param('link')));
      return c.body(null, 200);
    },
  );

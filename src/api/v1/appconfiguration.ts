import { Hono } from 'hono';
import * as z from 'zod';
import { ownerOfKey } from '../../domain/api-keys/authenticate.ts';
import { ConfigurationFields } from '../../domain/app-configurations/configuration-fields.ts';
import { deleteConfiguration } from '../../domain/app-configurations/delete-configuration.ts';
import {
  configurationsPart,
  getListedConfiguration,
  listConfigurations,
} from '../../domain/app-configurations/find-configuration.ts';
import { createLink, deleteLink, LINK_DAYS } from '../../domain/app-configurations/links.ts';
import { createConfiguration, updateConfiguration } from '../../domain/app-configurations/write-configuration.ts';
import { DateTimeText } from '../../domain/fields.ts';
import { lowerUuid } from '../../platform/ids.ts';
import type { ApiEnv } from '../api-env.ts';
import { operationsWith, validate } from '../operation.ts';
import { readAhead } from '../read-ahead.ts';
import { ConfigurationView, configurationView, LINKS_HIDDEN, LinkView, linkView } from './appconfiguration-view.ts';

const operation = operationsWith({ tag: 'Validation' });

const EXAMPLE = {
  name: 'Main entrance',
  scanMode: 0,
  place: 'Foyer',
  additionalProperties: [{ name: 'Coat check', type: 'boolean' }],
  backgroundColor: '#14213d',
  textColor: '#ffffff',
};

const WrittenView = z.object({ configuration: z.array(ConfigurationView).length(1) });

const LinkInput = z.object({ canChangeConfig: z.boolean().nullish(), validTo: DateTimeText.nullish() });

export const appConfigurationRoutes = new Hono<ApiEnv>()
  .get(
    '/',
    operation({
      id: 'listAppConfigurations',
      summary: 'List app configurations',
      description: LINKS_HIDDEN,
      scope: 'scans:read',
      replies: {
        200: {
          description: 'All app configurations with their links, oldest first',
          schema: z.array(ConfigurationView),
        },
      },
    }),
    readAhead('query', z.object({}), (key) => configurationsPart(ownerOfKey(key))),
    async (c) => {
      const { ctx, ahead, rights } = c.var;
      const found = await listConfigurations(ctx, ahead);
      return c.json(found.map((one) => configurationView(ctx, one, rights)));
    },
  )
  .get(
    '/:configuration',
    operation({
      id: 'readAppConfiguration',
      summary: 'Get an app configuration',
      description: LINKS_HIDDEN,
      scope: 'scans:read',
      replies: { 200: { description: 'The app configuration', schema: ConfigurationView } },
    }),
    async (c) => {
      const { ctx, rights } = c.var;
      const found = await getListedConfiguration(ctx, lowerUuid(c.req.param('configuration')));
      return c.json(configurationView(ctx, found, rights));
    },
  )
  .post(
    '/',
    operation({
      id: 'createAppConfiguration',
      summary: 'Create an app configuration',
      description:
        'Defines which passes a scanner accepts, and the effect of a scan: `scanMode` 0 voids the pass, 1 ' +
        'records attendance. Without `passTemplateId` and `passTemplateIds`, it accepts passes of all ' +
        'templates.',
      scope: 'scans:write',
      example: EXAMPLE,
      replies: { 201: { description: 'Created', schema: WrittenView } },
      failures: [404],
    }),
    validate('json', ConfigurationFields),
    async (c) => {
      const { ctx, rights } = c.var;
      const created = await createConfiguration(ctx, c.req.valid('json'));
      return c.json({ configuration: [configurationView(ctx, created, rights)] }, 201);
    },
  )
  .put(
    '/:configuration',
    operation({
      id: 'updateAppConfiguration',
      summary: 'Replace an app configuration',
      description:
        'Fields that you leave out take their defaults. Additional properties keep their `id` if you send it, ' +
        'or the same name and type. Links and scans stay.',
      scope: 'scans:write',
      example: { ...EXAMPLE, scanMode: 1 },
      replies: { 200: { description: 'Replaced', schema: WrittenView } },
    }),
    validate('json', ConfigurationFields),
    async (c) => {
      const { ctx, rights } = c.var;
      const updated = await updateConfiguration(ctx, lowerUuid(c.req.param('configuration')), c.req.valid('json'));
      return c.json({ configuration: [configurationView(ctx, updated, rights)] });
    },
  )
  .delete(
    '/:configuration',
    operation({
      id: 'deleteAppConfiguration',
      summary: 'Delete an app configuration, its links and its scans',
      description: 'Passes keep their state.',
      scope: 'scans:write',
      replies: { 200: { description: 'Deleted; no body' } },
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
      summary: 'Create a scanner link',
      description:
        `\`branchLink\` opens the scanner app on any phone. After \`validTo\` (default: ${LINK_DAYS} days) it ` +
        'requires `unlockPin`. With `canChangeConfig`, the scanner can switch to other configurations of the ' +
        'account.',
      scope: 'scans:write',
      example: { canChangeConfig: false, validTo: '2027-05-15 02:00' },
      replies: { 201: { description: 'Created', schema: LinkView } },
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
      summary: 'Delete a scanner link',
      description: 'The link stops working at once.',
      scope: 'scans:write',
      replies: { 200: { description: 'Deleted; no body' } },
    }),
    async (c) => {
      await deleteLink(c.var.ctx, lowerUuid(c.req.param('configuration')), lowerUuid(c.req.param('link')));
      return c.body(null, 200);
    },
  );

import { Hono } from 'hono';
import * as z from 'zod';
import { ownerOfKey } from '../../domain/api-keys/authenticate.ts';
import { Title } from '../../domain/fields.ts';
import { createProject, listProjects } from '../../domain/projects/projects.ts';
import { rowsOf } from '../../platform/batch-part.ts';
import type { ApiEnv } from '../api-env.ts';
import { envelopeV3, envelopeV3Schema } from '../envelope.ts';
import { operation, validate } from '../operation.ts';
import { readAhead } from '../read-ahead.ts';
import { text } from '../view-fields.ts';

const ProjectInput = z.object({ name: Title });
const ProjectItem = z.object({ identifier: z.uuid(), name: text('Summer festival') });

export const projectRoutes = new Hono<ApiEnv>()
  .get(
    '/',
    operation({
      id: 'listProjects',
      summary: 'List projects',
      tag: 'Projects',
      scope: 'templates:read',
      replies: { 200: { description: 'All projects, oldest first', schema: envelopeV3Schema(z.array(ProjectItem)) } },
    }),
    readAhead('query', z.object({}), (key) => rowsOf(listProjects(ownerOfKey(key)))),
    (c) => {
      const data = c.var.ahead;
      return envelopeV3(c, { description: 'Projects', data, count: data.length });
    },
  )
  .post(
    '/',
    operation({
      id: 'createProject',
      summary: 'Create a project',
      description: 'Passes can move between the templates of one project.',
      tag: 'Projects',
      scope: 'templates:write',
      isAccountWide: true,
      example: { name: 'Summer festival' },
      replies: {
        201: { description: 'Created', schema: envelopeV3Schema(z.object({ identifier: z.uuid() })) },
      },
    }),
    validate('json', ProjectInput),
    async (c) => {
      const identifier = await createProject(c.var.ctx, c.req.valid('json').name);
      return envelopeV3(c, { description: 'Project created', data: { identifier }, statusCode: 201, count: 1 });
    },
  );

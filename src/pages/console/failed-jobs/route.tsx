import { Hono } from 'hono';
import {
  discardDeadLetter,
  getDeadLetter,
  listDeadLetters,
  positionOf,
  requestRetries,
  retryDeadLetter,
} from '../../../domain/dead-letters/manage-dead-letters.ts';
import { DomainError } from '../../../domain/errors.ts';
import type { AccountEnv, AccountPageContext } from '../console-env.ts';
import { page, pageOf } from '../reply.tsx';
import { requirePrivilege } from '../require-user.ts';
import { sectionPath } from '../sections.ts';
import { DiscardPage, FailedJobsPage, SECTION } from './failed-jobs-page.tsx';

const PAGE_ROWS = 50;

/** Routes for failed jobs, which owners can retry or discard. */
export const failedJobRoutes = new Hono<AccountEnv>();

failedJobRoutes.use('*', requirePrivilege('owner'));

failedJobRoutes.get('/', async (c) => page(c, await list(c)));

async function list(c: AccountPageContext, isGone = false) {
  const { before, done } = c.req.query();
  const found = await listDeadLetters(c.var.acting, { limit: PAGE_ROWS + 1, before });
  const [letters, next] = pageOf(found, PAGE_ROWS, positionOf);
  const shown = { letters, next, isFirst: before === undefined, done, isGone };
  return <FailedJobsPage {...shown} />;
}

failedJobRoutes.post('/retry', (c) => act(c, 'retry-all', () => requestRetries(c.var.acting)));

failedJobRoutes.get('/:job/discard', (c) =>
  orGone(c, async () => {
    const letter = await getDeadLetter(c.var.acting, c.req.param('job'));
    return page(c, <DiscardPage letter={letter} />);
  }),
);

failedJobRoutes.post('/:job/discard', (c) => {
  const id = c.req.param('job');
  return act(c, 'discard', () => discardDeadLetter(c.var.acting, id));
});

failedJobRoutes.post('/:job/retry', (c) => {
  const id = c.req.param('job');
  return act(c, 'retry', () => retryDeadLetter(c.var.acting, id));
});

/** Runs an action, and redirects to the list with the message `done`. */
function act(c: AccountPageContext, done: string, work: () => Promise<unknown>) {
  return orGone(c, async () => {
    await work();
    return c.redirect(`${sectionPath(c.var.acting.account.id, SECTION)}?done=${done}`, 303);
  });
}

/** Shows the list with a message if the job is gone, after another owner's action or a second click. */
async function orGone(c: AccountPageContext, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'not_found') return page(c, await list(c, true), 404);
    throw error;
  }
}

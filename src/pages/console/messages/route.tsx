import { Hono } from 'hono';
import { getMessage, listMessages, type MessageFilter, resendMessage } from '../../../domain/messages/message-log.ts';
import type { AccountEnv, AccountPageContext } from '../console-env.ts';
import { page, submitted, uuidIn } from '../reply.tsx';
import { requirePrivilege } from '../require-user.ts';
import { sectionPath } from '../sections.ts';
import { MessagesPage, OneMessagePage, SECTION } from './message-pages.tsx';

const PAGE_ROWS = 50;

/** Routes for messages to pass holders. Members who can edit passes can resend them. */
export const messageRoutes = new Hono<AccountEnv>();

messageRoutes.get('/', async (c) => {
  const filter = filterOf(c);
  const beforeId = uuidIn(c, 'before');
  const found = await listMessages(c.var.acting, filter, { limit: PAGE_ROWS, beforeId });
  return page(c, <MessagesPage {...found} filter={filter} isFirst={beforeId === undefined} />);
});

/** Returns the filter of the address. Unknown values don't filter. */
function filterOf(c: AccountPageContext): MessageFilter {
  const oneOf = <T extends string>(name: string, values: readonly T[]) =>
    values.find((value) => value === c.req.query(name));
  const [state, channel, kind] = [
    oneOf('state', ['open', 'sent', 'delivered', 'failed']),
    oneOf('channel', ['email', 'sms']),
    oneOf('kind', ['creation', 'adhoc']),
  ];
  return { ...(state && { state }), ...(channel && { channel }), ...(kind && { kind }) };
}

messageRoutes.get('/:message', async (c) => page(c, await oneMessage(c)));

async function oneMessage(c: AccountPageContext) {
  const message = await getMessage(c.var.acting, c.req.param('message')!);
  return <OneMessagePage message={message} />;
}

messageRoutes.post('/:message/again', requirePrivilege('passes.edit'), (c) => {
  const { acting } = c.var;
  const id = c.req.param('message');
  return submitted(
    c,
    async () => {
      await resendMessage(acting, id);
      return c.redirect(sectionPath(acting.account.id, SECTION, id), 303);
    },
    () => oneMessage(c),
  );
});

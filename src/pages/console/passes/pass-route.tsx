import { Hono } from 'hono';
import { changeBundle } from '../../../domain/bundles/change-bundle.ts';
import { DomainError, invalid, invalidField, notFound } from '../../../domain/errors.ts';
import { NAME_CHARS_MAX } from '../../../domain/limits.ts';
import { deletePass } from '../../../domain/passes/deletion/delete-pass.ts';
import { deliverPass } from '../../../domain/passes/deliver-pass.ts';
import { getDefinedPass, getPass } from '../../../domain/passes/find-pass.ts';
import { movePass } from '../../../domain/passes/move-pass.ts';
import { enableDownload } from '../../../domain/passes/page/enable-download.ts';
import { sendPush } from '../../../domain/passes/push/send-push.ts';
import { voidPass } from '../../../domain/passes/update-pass.ts';
import { searchChoices } from '../../../domain/search/choices.ts';
import type { StoredDefinition } from '../../../domain/templates/definition.ts';
import { timeZoneOf } from '../../../domain/templates/time-zone.ts';
import { UUID_PATTERN } from '../../../platform/ids.ts';
import { deletePassFiles } from '../../../wallets/apple/pass-file-cache.ts';
import { issuePass, reissueLinks, reissuePass } from '../../../wallets/issue-pass.ts';
import { sendMessages } from '../../../wallets/messages/send-message.ts';
import type { AccountEnv, AccountPageContext } from '../console-env.ts';
import { ConfirmationPage } from '../console-layout.tsx';
import { page, pathTo, renamed, submitted, textOf } from '../reply.tsx';
import { requirePrivilege } from '../require-user.ts';
import { passTitle } from './columns.tsx';
import { EditPassPage, NewPassPage } from './edit-pages.tsx';
import {
  changedValues,
  defaultsOf,
  type FormValues,
  sentValues,
  typedValues,
  valuesOf,
  withLabels,
} from './form-values.ts';
import { type FormField, formFields } from './pass-form.ts';
import { SECTION } from './pass-list-page.tsx';
import { showPass } from './show-pass.tsx';
import { hiddenFrom, settableFields } from './visible-fields.ts';

/** Routes for single passes. */
export const passPageRoutes = new Hono<AccountEnv>();

const mayEdit = requirePrivilege('passes.edit');
const IN_BACKGROUND = { wait: false };

passPageRoutes.get('/new', mayEdit, async (c) => {
  const templateId = c.req.query('template') ?? '';
  const choices = await searchChoices(c.var.acting, templateId);
  const fields = settableFields(c.var.privileges, formFields(choices.definition));
  const shown = { choices, templateId, fields };
  return page(c, <NewPassPage {...shown} values={defaultsOf(fields)} />);
});

passPageRoutes.post('/', mayEdit, async (c) => {
  const form = await c.req.parseBody();
  const templateId = textOf(form, 'template');
  const choices = await searchChoices(c.var.acting, templateId);
  if (!choices.definition) throw notFound();
  const fields = settableFields(c.var.privileges, formFields(choices.definition));
  const values = typedValues(fields, form);
  const work = async () => {
    const { sent, problems } = sentValues(fields, values);
    if (problems.length > 0) throw invalid(problems);
    const { pass } = await issuePass(c.var.acting, templateId, sent, IN_BACKGROUND);
    return pathTo(c, SECTION, pass.id);
  };
  return submitted(
    c,
    <NewPassPage choices={choices} templateId={templateId} fields={fields} values={values} />,
    work,
    (issues) => withLabels(fields, issues),
  );
});

passPageRoutes.get('/:pass', (c) => showPass(c));

passPageRoutes.get('/:pass/edit', mayEdit, async (c) => {
  const found = await getDefinedPass(c.var.acting, idOf(c));
  const fields = editableFields(c, found.definition);
  const values = valuesOf(fields, found.pass, timeZoneOf(c.var.acting.account, found.definition));
  return page(c, <EditPassPage found={found} fields={fields} before={values} values={values} />);
});

passPageRoutes.post('/:pass/edit', mayEdit, async (c) => {
  const found = await getDefinedPass(c.var.acting, idOf(c));
  const fields = editableFields(c, found.definition);
  const form = await c.req.parseBody();
  const before = readBefore(textOf(form, 'before'));
  const values = typedValues(fields, form);
  const work = async () => {
    const { sent, problems } = changedValues(fields, before, values);
    if (problems.length > 0) throw invalid(problems);
    await reissuePass(c.var.acting, found.pass.id, sent, { mode: 'patch', ...IN_BACKGROUND });
    return backToPass(c);
  };
  return submitted(
    c,
    <EditPassPage found={found} fields={fields} before={before} values={{ ...before, ...values }} />,
    work,
    (issues) => withLabels(fields, issues),
  );
});

/** Returns the fields that the member can see and set. The others keep their values. */
function editableFields({ var: { privileges } }: AccountPageContext, definition: StoredDefinition): FormField[] {
  const hidden = hiddenFrom(privileges, definition);
  return settableFields(privileges, formFields(definition)).filter(({ key }) => !hidden.has(key));
}

function readBefore(text: string): FormValues {
  try {
    return Object.fromEntries(Object.entries(JSON.parse(text) as object).map(([key, value]) => [key, String(value)]));
  } catch {
    throw invalidField('before', 'must be the values that the form started with');
  }
}

passPageRoutes.get('/:pass/delete', mayEdit, async (c) => {
  const { pass } = await getPass(c.var.acting, idOf(c));
  const base = pathTo(c, SECTION, pass.id);
  const devices = pass.numberOfActive;
  return page(
    c,
    <ConfirmationPage
      title={`Delete ${passTitle(pass)}`}
      section={SECTION}
      trail={[{ title: passTitle(pass), href: base }]}
      action={`${base}/delete`}
      button="Delete pass"
      back={base}
    >
      Deletes the pass and its data. Its page and links stop working. You can’t undo this.
      {devices > 0 && ` ${devices} ${devices === 1 ? 'device has' : 'devices have'} it and will show it as voided.`} To
      keep the pass but make it invalid, void it instead.
    </ConfirmationPage>,
  );
});

passPageRoutes.post('/:pass/delete', mayEdit, async (c) => {
  await deletePass(c.var.acting, idOf(c), deletePassFiles);
  return c.redirect(pathTo(c, SECTION), 303);
});

passPageRoutes.get('/:pass/rotate-links', mayEdit, async (c) => {
  const { pass } = await getPass(c.var.acting, idOf(c));
  const base = pathTo(c, SECTION, pass.id);
  return page(
    c,
    <ConfirmationPage
      title={`Rotate the links of ${passTitle(pass)}`}
      section={SECTION}
      trail={[{ title: passTitle(pass), href: base }]}
      action={`${base}/rotate-links`}
      button="Rotate links"
      back={base}
    >
      The links to the download page and the pass file get new secrets. The old links stop working immediately, also in
      sent e-mails and text messages. Wallets that contain the pass keep it.
      {pass.bundleId !== null && ' The link of its bundle stays the same.'}
    </ConfirmationPage>,
  );
});

type Work = (c: AccountPageContext, id: string, form: Record<string, unknown>) => Promise<unknown>;

/** Actions of the forms on a pass's page. Rejected forms are shown again with their values and issues. */
const VERBS: Record<string, Work> = {
  void: (c, id) => voidPass(c.var.acting, id, true),
  unvoid: (c, id) => voidPass(c.var.acting, id, false),
  push: async (c, id, form) => {
    const outcome = await sendPush(c.var.acting, id, { pushNotificationText: textOf(form, 'text') });
    if (outcome === 'same') throw invalid('This text is the same as in the latest push. Enter a different one');
  },
  mail: async (c, id, form) => {
    const message = await deliverPass(c.var.acting, id, textOf(form, 'recipient'));
    await sendMessages(c.var.acting, [message]);
  },
  'enable-download': (c, id, form) =>
    enableDownload(c.var.acting, id, textOf(form, 'until').replace('T', ' ') || undefined),
  move: (c, id, form) => movePass(c.var.acting, id, textOf(form, 'target')),
  join: (c, id, form) => {
    const bundleId = textOf(form, 'bundleId').trim();
    if (bundleId === '' || bundleId.length > NAME_CHARS_MAX) {
      throw invalidField('bundleId', `must have 1 to ${NAME_CHARS_MAX} characters`);
    }
    return changeBundle(c.var.acting, bundleId, (bundle, caller) => bundle.add(caller, bundleId, [id]));
  },
  'rotate-links': (c, id) => reissueLinks(c.var.acting, id, IN_BACKGROUND),
  leave: (c, id) => reissuePass(c.var.acting, id, { bundleId: null }, { mode: 'patch', ...IN_BACKGROUND }),
};

/**
 * A mail can send the pass's links to any address, a holder gets the link of the bundle, and another template may show
 * what this one hides.
 */
const mayReveal = requirePrivilege('passes.edit', 'personal_data');
const REVEALING = ['mail', 'join', 'move'];
const toFormNames = renamed({
  pushNotificationText: 'text',
  recipientMail: 'recipient',
  enableDownloadUntil: 'until',
  templateId: 'target',
});

/** Only the timeline shows their result. */
const SHOWN_IN_TIMELINE = ['push', 'mail'];

for (const [verb, work] of Object.entries(VERBS)) {
  passPageRoutes.post(`/:pass/${verb}`, REVEALING.includes(verb) ? mayReveal : mayEdit, async (c) => {
    const id = idOf(c);
    const form = await c.req.parseBody();
    try {
      await work(c, id, form);
    } catch (error) {
      if (!(error instanceof DomainError) || (error.kind !== 'invalid' && error.kind !== 'conflict')) throw error;
      return showPass(c, { issues: toFormNames(error.issues), typed: form });
    }
    return backToPass(c, SHOWN_IN_TIMELINE.includes(verb) ? '#timeline' : '');
  });
}

/** Returns the pass identifier of the address. */
function idOf(c: AccountPageContext): string {
  const id = c.req.param('pass') ?? '';
  if (!UUID_PATTERN.test(id)) throw notFound();
  return id;
}

const backToPass = (c: AccountPageContext, part = ''): Response => c.redirect(pathTo(c, SECTION, idOf(c)) + part, 303);

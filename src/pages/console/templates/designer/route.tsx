import { Hono } from 'hono';
import { DomainError, type Issue, invalidField } from '../../../../domain/errors.ts';
import { keepImage } from '../../../../domain/images/hold-images.ts';
import { importImage } from '../../../../domain/images/import-image.ts';
import { IMAGE_ROLES, type ImageRole } from '../../../../domain/images/stored-image.ts';
import { saveDraft } from '../../../../domain/template-changes/change-template.ts';
import { PASS_TYPES, type StoredDefinition, type TemplateDefinition } from '../../../../domain/templates/definition.ts';
import { differences } from '../../../../domain/templates/differences.ts';
import { openTemplate } from '../../../../domain/templates/open-template.ts';
import { imageUrl, wireDefinition } from '../../../../domain/templates/stored-definition.ts';
import { hasPrivilege } from '../../../../domain/users/privileges.ts';
import { toBase64 } from '../../../../platform/crypto.ts';
import type { AccountEnv, AccountPageContext } from '../../console-env.ts';
import { page, pathTo, textOf } from '../../reply.tsx';
import { requirePrivilege } from '../../require-user.ts';
import { treeOfDefinition } from './definition-form.ts';
import { type DesignerForm, partNamed, partOf } from './designer-form.ts';
import { DesignerPage, type DesignerPageProps } from './designer-page.tsx';
import { designerReply, wantsJson } from './designer-reply.tsx';
import { checkDraft, type Draft, drawable, type Faults, faultsOf, NO_FAULTS } from './draft.ts';
import { drawPreview, lookQuery, takeLook } from './draw-preview.ts';
import { findingsOf } from './findings.tsx';
import { type FormTree, setAt, textAt, treeOfForm } from './form-tree.ts';
import { changeList, type ListChange } from './list-changes.ts';

/** Routes for the designer. Its one form saves, edits lists and draws; only saving writes anything. */
export const designerRoutes = new Hono<AccountEnv>();

designerRoutes.get('/:template', async (c) => {
  const { acting } = c.var;
  const opened = await openTemplate(acting, c.req.param('template'));
  const tree = treeOfDefinition(wireDefinition(acting, opened.definition));
  takeLook(tree, c.req.query());
  const form = { opened, tree, faults: NO_FAULTS };
  const part = partNamed(c.req.query('part'));
  return show(c, form, opened.definition, {
    part,
    input: checkDraft(acting, tree, opened.definition).input,
    base: opened.version,
    saved: c.req.query('saved') === String(opened.version),
    omitted: IMAGE_ROLES.filter((role) => c.req.query('without')?.split(',').includes(role)),
  });
});

designerRoutes.post('/:template', async (c) => {
  const { acting, privileges } = c.var;
  const sent = await c.req.parseBody();
  const tree = treeOfForm(sent);
  const command = textAt(tree, 'do');
  const mayEdit = hasPrivilege(privileges, 'templates.edit');
  if (!mayEdit && command !== 'preview' && command !== 'part') {
    throw new DomainError('forbidden', 'This needs the privilege templates.edit');
  }
  const opened = await openTemplate(acting, c.req.param('template'));
  // Without the privilege, the controls are disabled, so the browser sends no definition.
  if (!mayEdit) Object.assign(tree, treeOfDefinition(wireDefinition(acting, opened.definition)));
  const change = changeList(tree, command);
  const uploads = mayEdit ? await importUploads(c, sent, tree) : NO_FAULTS;
  const draft = checkDraft(acting, tree, opened.definition);
  const faults = both(uploads, draft.faults);
  if (command === '' && draft.input && faults === NO_FAULTS) return save(c, { opened, tree, faults }, draft);
  const form = { opened, tree, faults };
  return command === '' ? refuse(c, form, draft) : again(c, form, draft, change);
});

/** Imports an image and returns its address in our store. */
designerRoutes.post('/:template/images', requirePrivilege('templates.edit'), async (c) => {
  // Checks the template first, before anything is fetched.
  await openTemplate(c.var.acting, c.req.param('template'));
  const sent = await c.req.parseBody();
  const role = IMAGE_ROLES.find((one) => one === sent.role);
  if (!role) throw invalidField('role', 'is not an image role');
  const source = sent.file instanceof File ? await base64Of(sent.file) : textOf(sent, 'url');
  try {
    return c.json({ url: await importOne(c, source, role, textOf(sent, 'type')) });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return c.json({ message: faultsOf(error.issues).byName[`images.${role}`] ?? error.message }, 400);
  }
});

async function save(c: AccountPageContext, form: DesignerForm, draft: Draft): Promise<Response> {
  const { acting } = c.var;
  const { template } = form.opened;
  const version = Number(textAt(form.tree, 'version'));
  try {
    const saved = await saveDraft(acting, template.id, { version, input: draft.input! });
    if (wantsJson(c)) {
      const opened = await openTemplate(acting, template.id);
      return designerReply(c, { ...form, opened }, await picture(c, form, opened.definition), {
        saved,
        findings: await findingsOf(acting, draft.input!, opened.definition),
      });
    }
    const path = pathTo(c, 'templates', template.id);
    return c.redirect(
      `${path}?part=${partNamed(textAt(form.tree, 'part'))}&saved=${saved}${lookQuery(form.tree)}`,
      303,
    );
  } catch (error) {
    if (!(error instanceof DomainError) || (error.kind !== 'invalid' && error.kind !== 'conflict')) throw error;
    const isConflict = error.kind === 'conflict';
    if (!isConflict) return refuse(c, { ...form, faults: faultsOf(error.issues) }, draft);
    // The other version may be newer than the one this form was based on.
    const opened = await openTemplate(acting, template.id);
    return refuse(c, { ...form, opened, faults: NO_FAULTS }, draft, true);
  }
}

/** Shows the form with its values and issues. Nothing was saved. */
async function refuse(c: AccountPageContext, form: DesignerForm, draft: Draft, conflict = false): Promise<Response> {
  const definition = await drawable(c.var.acting, draft.drawn, form.opened.definition);
  if (wantsJson(c)) {
    return designerReply(c, form, await picture(c, form, definition), { conflict }, conflict ? 409 : 400);
  }
  const [first] = Object.keys(form.faults.byName);
  return show(c, form, definition, {
    part: first ? partOf(first) : partNamed(textAt(form.tree, 'part')),
    input: draft.input,
    // Saving again after a conflict means that the other version should be overwritten.
    base: conflict ? form.opened.version : Number(textAt(form.tree, 'version')),
    conflict: conflict ? differsFromTheirs(c, form, draft) : undefined,
    status: 400,
  });
}

function differsFromTheirs(c: AccountPageContext, { opened }: DesignerForm, { drawn }: Draft) {
  return differences(wireDefinition(c.var.acting, opened.definition), drawn);
}

/** Shows the form again after a button that doesn't save. */
async function again(c: AccountPageContext, form: DesignerForm, draft: Draft, change?: ListChange): Promise<Response> {
  const definition = await drawable(c.var.acting, draft.drawn, form.opened.definition);
  const part = change ? partOf(change.list) : partNamed(textAt(form.tree, 'part'));
  if (wantsJson(c)) {
    const isAsked = change !== undefined || textAt(form.tree, 'do') === 'part';
    const findings = draft.input && (await findingsOf(c.var.acting, draft.input, form.opened.definition));
    const happened = { part: isAsked ? part : undefined, said: change?.said, findings };
    return designerReply(c, form, await picture(c, form, definition), happened);
  }
  // Issues are shown only after an attempt to save.
  const calm = { ...form, faults: NO_FAULTS };
  return show(c, calm, definition, { part, input: draft.input, base: Number(textAt(form.tree, 'version')) });
}

function picture(c: AccountPageContext, { opened, tree }: DesignerForm, definition: StoredDefinition) {
  return drawPreview(c, opened, definition, tree);
}

type Shown = Pick<DesignerPageProps, 'part' | 'base' | 'saved' | 'omitted' | 'conflict'> & {
  /** The definition that the wallets' rules are applied to; absent if it is invalid. */
  input?: TemplateDefinition;
  status?: 200 | 400;
};

async function show(
  c: AccountPageContext,
  form: DesignerForm,
  definition: StoredDefinition,
  { input, status = 200, ...shown }: Shown,
) {
  const preview = await picture(c, form, definition);
  const findings = input && (await findingsOf(c.var.acting, input, form.opened.definition));
  return page(c, <DesignerPage form={form} preview={preview} findings={findings} {...shown} />, status);
}

/** Imports the files of a form sent without scripts. An issue elsewhere in the form must not lose them. */
async function importUploads(c: AccountPageContext, sent: Record<string, unknown>, tree: FormTree): Promise<Faults> {
  const issues: Issue[] = [];
  for (const role of IMAGE_ROLES) {
    const file = sent[`upload.${role}`];
    if (!(file instanceof File) || file.size === 0) continue;
    try {
      setAt(tree, ['images', role], await importOne(c, await base64Of(file), role, textAt(tree, 'type')));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      issues.push(...error.issues);
    }
  }
  return issues.length > 0 ? faultsOf(issues) : NO_FAULTS;
}

/** How long an uploaded image is kept until its template is saved. */
const UPLOAD_MS = 24 * 60 * 60_000;

async function importOne(c: AccountPageContext, source: string, role: ImageRole, type: string): Promise<string> {
  const { acting } = c.var;
  const known = PASS_TYPES.find((one) => one === type) ?? 'generic';
  const { sha256 } = await importImage(acting, source, role, known, `images.${role}`);
  await keepImage(acting, sha256, UPLOAD_MS);
  return imageUrl(acting.baseUrl, sha256);
}

const base64Of = async (file: File): Promise<string> => toBase64(new Uint8Array(await file.arrayBuffer()));

function both(a: Faults, b: Faults): Faults {
  if (a === NO_FAULTS) return b;
  return { byName: { ...b.byName, ...a.byName }, others: [...a.others, ...b.others] };
}

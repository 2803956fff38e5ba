import { Hono } from 'hono';
import { describeIssue, fieldIssue, type Issue, invalidField } from '../../../domain/errors.ts';
import { IMPORT_BYTES_MAX, NAME_CHARS_MAX } from '../../../domain/limits.ts';
import type { AccountEnv } from '../console-env.ts';
import { AccountLayout } from '../console-layout.tsx';
import { FileField, TextField } from '../fields.tsx';
import { EntryForm, LinkButton, Notice, Panel } from '../parts.tsx';
import { page, pathTo, submitted, textOf } from '../reply.tsx';
import { requirePrivilege } from '../require-user.ts';
import { hrefTo } from '../viewer.ts';
import { SECTION } from './template-layout.tsx';

/** Routes for importing and exporting templates. */
export const importRoutes = new Hono<AccountEnv>();

importRoutes.get('/import', requirePrivilege('templates.edit'), (c) => page(c, <ImportTemplatePage />));

importRoutes.post('/import', requirePrivilege('templates.edit'), async (c) => {
  const form = await c.req.parseBody();
  const name = textOf(form, 'name').trim();
  const work = async () => {
    const { file } = form;
    if (!(file instanceof File) || file.size === 0) throw invalidField('file', 'select a file that is not empty');
    if (file.size > IMPORT_BYTES_MAX) throw invalidField('file', 'must have at most 10 MiB');
    if (name.length > NAME_CHARS_MAX) throw invalidField('name', `must have at most ${NAME_CHARS_MAX} characters`);
    // Loaded on demand: imports are rare.
    const { importTemplate } = await import('../../../wallets/apple/template-package/import-template.ts');
    const bytes = new Uint8Array(await file.arrayBuffer());
    const { identifier, warnings } = await importTemplate(c.var.acting, bytes, { name });
    if (warnings.length === 0) return pathTo(c, 'templates', identifier);
    return page(c, <ImportedTemplatePage templateId={identifier} fileName={file.name} warnings={warnings} />);
  };
  return submitted(c, <ImportTemplatePage name={name} />, work, (issues) => issues.map(besideFile));
});

/** Moves issues of the file's content to the file field. */
function besideFile(issue: Issue): Issue {
  return issue.path === 'name' || issue.path === 'file' ? issue : fieldIssue('file', describeIssue(issue), issue.code);
}

importRoutes.get('/:template/export', requirePrivilege('templates.edit'), async (c) => {
  const { archiveReply, exportTemplate } = await import('../../../wallets/apple/template-package/pack-template.ts');
  return archiveReply(await exportTemplate(c.var.acting, c.req.param('template')));
});

const MEBIBYTE = 1024 * 1024;
/** The parent page, which offers the import. */
const TRAIL_TITLE = 'Create template';

const trail = () => [{ title: TRAIL_TITLE, href: hrefTo(SECTION, 'new') }];

/** Asks for a template file or a pass file. */
function ImportTemplatePage({ name }: { name?: string }) {
  return (
    <AccountLayout title="Import template" section={SECTION} trail={trail()}>
      <EntryForm
        action={hrefTo(SECTION, 'import')}
        enctype="multipart/form-data"
        button="Import template"
        back={hrefTo(SECTION, 'new')}
      >
        <FileField
          name="file"
          label="File"
          hint={`A .pkpass file of any issuer, an export of this service, or a .pkpasstemplate folder as a ZIP. At most ${IMPORT_BYTES_MAX / MEBIBYTE} MiB.`}
          accept=".pkpass,.zip,.pkpasstemplate,application/zip,application/vnd.apple.pkpass"
          required
        />
        <TextField
          name="name"
          label="Name"
          hint="Leave it empty to take the name from the file."
          value={name}
          required={false}
          more={{ maxlength: 500, autocomplete: 'off' }}
        />
        <p class="quiet">Imports the design and texts, but no identifiers, tokens or barcode values.</p>
      </EntryForm>
    </AccountLayout>
  );
}

interface ImportedPageProps {
  templateId: string;
  fileName: string;
  warnings: string[];
}

/** The page with the warnings of an import, and the link to the new template. */
function ImportedTemplatePage({ templateId, fileName, warnings }: ImportedPageProps) {
  const open = hrefTo(SECTION, templateId);
  return (
    <AccountLayout title="Template imported" section={SECTION} trail={trail()}>
      <Notice tone="good">The template is created from {fileName}. Check it before you create passes.</Notice>
      <Panel id="left-out" title="Import warnings">
        <ul class="import-warnings">
          {warnings.map(parts).map(({ path, message }) => (
            <li>
              {path && <code>{path}</code>} {message}
            </li>
          ))}
        </ul>
      </Panel>
      <div class="actions">
        <LinkButton href={open} title="Open template" />
      </div>
    </AccountLayout>
  );
}

/** Splits a warning into a path and a message. */
function parts(warning: string): { path: string; message: string } {
  const [path = '', ...rest] = warning.split(': ');
  return rest.length > 0 ? { path, message: rest.join(': ') } : { path: '', message: warning };
}

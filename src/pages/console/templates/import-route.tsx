import { Hono } from 'hono';
import { describeIssue, fieldIssue, type Issue, invalidField } from '../../../domain/errors.ts';
import { IMPORT_BYTES_MAX, NAME_CHARS_MAX } from '../../../domain/limits.ts';
import type { AccountEnv } from '../console-env.ts';
import { page, submitted, textOf } from '../reply.tsx';
import { requirePrivilege } from '../require-user.ts';
import { ImportedTemplatePage, ImportTemplatePage } from './import-page.tsx';
import { templatePath } from './template-layout.tsx';

/** Routes for importing and exporting templates. */
export const importRoutes = new Hono<AccountEnv>();

importRoutes.get('/import', requirePrivilege('templates.edit'), (c) => page(c, <ImportTemplatePage />));

importRoutes.post('/import', requirePrivilege('templates.edit'), async (c) => {
  const { acting } = c.var;
  const form = await c.req.parseBody();
  const name = textOf(form, 'name').trim();
  return submitted(
    c,
    async () => {
      const { file } = form;
      if (!(file instanceof File) || file.size === 0) throw invalidField('file', 'select a file that is not empty');
      if (file.size > IMPORT_BYTES_MAX) throw invalidField('file', 'must have at most 10 MiB');
      if (name.length > NAME_CHARS_MAX) throw invalidField('name', `must have at most ${NAME_CHARS_MAX} characters`);
      // Loaded on demand: imports are rare.
      const { importTemplate } = await import('../../../wallets/apple/template-package/import-template.ts');
      const bytes = new Uint8Array(await file.arrayBuffer());
      const { identifier, warnings } = await importTemplate(acting, bytes, { name });
      if (warnings.length === 0) return templatePath(acting.account.id, identifier);
      return page(c, <ImportedTemplatePage templateId={identifier} fileName={file.name} warnings={warnings} />);
    },
    () => <ImportTemplatePage name={name} />,
    (issues) => issues.map(besideFile),
  );
});

/** Moves issues of the file's content to the file field. */
function besideFile(issue: Issue): Issue {
  return issue.path === 'name' || issue.path === 'file' ? issue : fieldIssue('file', describeIssue(issue), issue.code);
}

importRoutes.get('/:template/export', requirePrivilege('templates.edit'), async (c) => {
  const { archiveReply, exportTemplate } = await import('../../../wallets/apple/template-package/pack-template.ts');
  return archiveReply(await exportTemplate(c.var.acting, c.req.param('template')));
});

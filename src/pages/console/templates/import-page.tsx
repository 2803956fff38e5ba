import { IMPORT_BYTES_MAX } from '../../../domain/limits.ts';
import { FileField } from '../certificates/file-field.tsx';
import { AccountLayout } from '../console-layout.tsx';
import { TextField } from '../fields.tsx';
import { EntryForm, LinkButton, Notice, Panel } from '../parts.tsx';
import { hrefTo } from '../viewer.ts';
import { SECTION } from './template-layout.tsx';

const MEBIBYTE = 1024 * 1024;
/** The parent page, which offers the import. */
const TRAIL_TITLE = 'Create template';

function trail() {
  return [{ title: TRAIL_TITLE, href: hrefTo(SECTION, 'new') }];
}

/** Asks for a template file or a pass file. */
export function ImportTemplatePage({ name }: { name?: string }) {
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
export function ImportedTemplatePage({ templateId, fileName, warnings }: ImportedPageProps) {
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

import { AccountLayout } from '../console-layout.tsx';
import { TextField } from '../fields.tsx';
import { EntryForm, LinkButton } from '../parts.tsx';
import { hrefTo } from '../viewer.ts';
import type { StartingPoint } from './starting-points.ts';
import { SECTION, TemplateLayout } from './template-layout.tsx';
import { type DrawnThumbnail, Thumbnail } from './thumbnail.tsx';

interface NewTemplatePageProps {
  starts: (StartingPoint & { drawn: DrawnThumbnail })[];
  typed?: { name: string; start: string };
}

/** The form for a new template: its name and its initial design. */
export function NewTemplatePage({ starts, typed }: NewTemplatePageProps) {
  const base = hrefTo(SECTION);
  return (
    <AccountLayout
      title="Create template"
      section={SECTION}
      actions={<LinkButton href={`${base}/import`} title="Import template" look="quiet" />}
      css={starts.map(({ drawn }) => drawn.css).join('')}
    >
      <EntryForm action={base} look="stack wide" button="Create template" back={base}>
        <TextField
          name="name"
          label="Name"
          hint="Shown to members only, for example “Summer tour 2027”."
          value={typed?.name}
          required
          more={{ maxlength: 500, autocomplete: 'off' }}
        />
        <fieldset class="starts">
          <legend>Starting point</legend>
          <div class="template-cards">
            {starts.map(({ id, title, text, drawn }, at) => (
              <label class="start">
                <Thumbnail drawn={drawn} />
                <span class="template-facts">
                  <span>
                    <input
                      type="radio"
                      name="start"
                      value={id}
                      checked={typed ? typed.start === id : at === 0}
                      aria-describedby={`start-${id}`}
                    />
                    <strong>{title}</strong>
                  </span>
                  <span class="quiet" id={`start-${id}`}>
                    {text}
                  </span>
                </span>
              </label>
            ))}
          </div>
          <p class="hint">
            You can change everything later. To start from an existing template, open it and select Copy template.
          </p>
        </fieldset>
      </EntryForm>
    </AccountLayout>
  );
}

interface CopyTemplatePageProps {
  template: { id: string; name: string };
  typed?: string;
}

export function CopyTemplatePage({ template, typed }: CopyTemplatePageProps) {
  const path = hrefTo(SECTION, template.id);
  return (
    <TemplateLayout template={template} title="Copy template">
      <EntryForm action={`${path}/copy`} button="Copy template" back={path}>
        <p class="quiet">
          Copies the newest definition with its images and the keys of its fields and properties. Passes and the
          external ID aren’t copied.
        </p>
        <TextField
          name="name"
          label="Name of the copy"
          value={typed ?? `${template.name} (copy)`}
          required
          more={{ maxlength: 500, autocomplete: 'off' }}
        />
      </EntryForm>
    </TemplateLayout>
  );
}

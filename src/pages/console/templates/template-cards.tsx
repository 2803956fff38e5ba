import type { ListedTemplate } from '../../../domain/templates/list-defined-templates.ts';
import { hasPrivilege } from '../../../domain/users/privileges.ts';
import { AccountLayout, type Frame } from '../console-layout.tsx';
import { EmptyState, Notice, Pager } from '../parts.tsx';
import { sectionPath } from '../sections.ts';
import { TYPE_TITLES } from './designer/type-titles.ts';
import type { DrawnThumbnail } from './draw-thumbnail.ts';
import { SECTION, templatePath } from './template-layout.tsx';
import { TemplateState } from './template-state.tsx';
import { Thumbnail } from './thumbnail.tsx';

interface TemplateCardsPageProps {
  frame: Frame;
  items: (ListedTemplate & { drawn: DrawnThumbnail })[];
  search: string;
  /** Identifier behind which the next page begins. */
  next?: string;
  isFirst: boolean;
  /** A template was deleted a moment ago. */
  deleted: boolean;
  /** Of this reply's Content-Security-Policy. */
  nonce: string;
}

/** The account's templates as the passes that they make. */
export function TemplateCardsPage({ frame, items, search, next, isFirst, deleted, nonce }: TemplateCardsPageProps) {
  const base = sectionPath(frame.account.id, SECTION);
  const mayEdit = hasPrivilege(frame.privileges, 'templates.edit');
  const create = (
    <a class="button" href={`${base}/new`}>
      Create template
    </a>
  );
  const isEmpty = items.length === 0 && isFirst && search === '';
  const page = (before?: string) => {
    const query = new URLSearchParams({ ...(search && { q: search }), ...(before && { before }) }).toString();
    return query ? `${base}?${query}` : base;
  };
  return (
    <AccountLayout
      frame={frame}
      title="Templates"
      section={SECTION}
      actions={
        <>
          <a class="button quiet" href={`${base}/projects`}>
            Projects
          </a>
          {mayEdit && !isEmpty && create}
        </>
      }
      styles={{ nonce, css: items.map(({ drawn }) => drawn.css).join('') }}
    >
      {deleted && (
        <Notice tone="good">
          The template is deleted. Its passes are deleted in the background, and their devices are notified.
        </Notice>
      )}
      {isEmpty ? (
        <EmptyState title="No templates yet" action={mayEdit && create}>
          A template defines the design and the data of its passes. Start with one of five designs.
        </EmptyState>
      ) : (
        <>
          <search>
            <form class="find-form" method="get" action={base}>
              <label class="visually-hidden" for="q">
                Name of a template
              </label>
              <input id="q" name="q" type="search" value={search} placeholder="Find by name" />
              <button class="button small quiet" type="submit">
                Find
              </button>
            </form>
          </search>
          {items.length === 0 ? (
            <EmptyState title="No template name matches" action={<a href={base}>Show all</a>} />
          ) : (
            <ul class="template-cards">
              {items.map((item) => (
                <TemplateCard frame={frame} item={item} />
              ))}
            </ul>
          )}
          <Pager newer={isFirst ? undefined : page()} older={next && page(next)} />
        </>
      )}
    </AccountLayout>
  );
}

function TemplateCard({ frame, item }: { frame: Frame; item: TemplateCardsPageProps['items'][number] }) {
  const { template, definition, projectName, publicationAt, drawn } = item;
  const { account } = frame;
  const passes = `${template.passCount.toLocaleString('en')} ${template.passCount === 1 ? 'pass' : 'passes'}`;
  return (
    <li>
      <Thumbnail drawn={drawn} />
      <div class="template-facts">
        <a class="card-link" href={templatePath(account.id, template.id)}>
          {template.name}
        </a>
        <p class="quiet">{[TYPE_TITLES[definition.type], passes, projectName].filter(Boolean).join(' · ')}</p>
        <p>
          <TemplateState template={template} publicationAt={publicationAt} timezone={account.timezone} />
        </p>
      </div>
    </li>
  );
}

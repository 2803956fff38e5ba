import type { ListedTemplate } from '../../../domain/templates/list-defined-templates.ts';
import { AccountLayout } from '../console-layout.tsx';
import { EmptyState, formatPassCount, LinkButton, Notice, Pager, SubmitButton } from '../parts.tsx';
import { hrefTo, viewerHas } from '../viewer.ts';
import { TYPE_TITLES } from './designer/type-titles.ts';
import { SECTION, TemplateState } from './template-layout.tsx';
import { type DrawnThumbnail, Thumbnail } from './thumbnail.tsx';

interface TemplateCardsPageProps {
  items: (ListedTemplate & { drawn: DrawnThumbnail })[];
  search: string;
  /** Identifier of the last template, for the next page. */
  next?: string;
  isFirst: boolean;
  /** A template was just deleted. */
  deleted: boolean;
}

/** The account's templates as cards that look like their passes. */
export function TemplateCardsPage({ items, search, next, isFirst, deleted }: TemplateCardsPageProps) {
  const base = hrefTo(SECTION);
  const mayEdit = viewerHas('templates.edit');
  const create = <LinkButton href={`${base}/new`} title="Create template" />;
  const isEmpty = items.length === 0 && isFirst && search === '';
  const page = (before?: string) => {
    const query = new URLSearchParams({ ...(search && { q: search }), ...(before && { before }) }).toString();
    return query ? `${base}?${query}` : base;
  };
  return (
    <AccountLayout
      title="Templates"
      section={SECTION}
      actions={
        <>
          <LinkButton href={`${base}/projects`} title="Projects" look="quiet" />
          {mayEdit && !isEmpty && create}
        </>
      }
      css={items.map(({ drawn }) => drawn.css).join('')}
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
              <SubmitButton title="Find" look="small quiet" />
            </form>
          </search>
          {items.length === 0 ? (
            <EmptyState title="No template name matches" action={<a href={base}>Show all</a>} />
          ) : (
            <ul class="template-cards">
              {items.map((item) => (
                <TemplateCard item={item} />
              ))}
            </ul>
          )}
          <Pager newer={isFirst ? undefined : page()} older={next && page(next)} />
        </>
      )}
    </AccountLayout>
  );
}

function TemplateCard({ item }: { item: TemplateCardsPageProps['items'][number] }) {
  const { template, definition, projectName, publicationAt, drawn } = item;
  const passes = formatPassCount(template.passCount);
  return (
    <li>
      <Thumbnail drawn={drawn} />
      <div class="template-facts">
        <a class="card-link" href={hrefTo(SECTION, template.id)}>
          {template.name}
        </a>
        <p class="quiet">{[TYPE_TITLES[definition.type], passes, projectName].filter(Boolean).join(' · ')}</p>
        <p>
          <TemplateState template={template} publicationAt={publicationAt} />
        </p>
      </div>
    </li>
  );
}

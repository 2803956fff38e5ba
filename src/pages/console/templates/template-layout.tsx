import type { Child } from 'hono/jsx';
import type { Template } from '../../../domain/templates/table.ts';
import { AccountLayout, type AccountLayoutProps } from '../console-layout.tsx';
import { Badge } from '../parts.tsx';
import { Time } from '../time.tsx';
import { hrefTo } from '../viewer.ts';

export const SECTION = 'templates';

/** The pages of a template, by the last part of their address. */
const PAGES = { '': 'Design', publish: 'Publish', notifications: 'Notifications', api: 'API' };
type TemplatePageName = keyof typeof PAGES;

interface TemplateLayoutProps extends Pick<AccountLayoutProps, 'css' | 'scripts' | 'actions'> {
  template: { id: string; name: string };
  /** The current tab. A page without a tab has only a title. */
  current?: TemplatePageName;
  /** Heading; default: the tab's title, or the template's name. */
  title?: string;
  children: Child;
}

/** The frame of a template's pages, with their tabs. */
export function TemplateLayout({ template, current, title, children, ...more }: TemplateLayoutProps) {
  const base = hrefTo(SECTION, template.id);
  const heading = title ?? (current ? PAGES[current] : template.name);
  const trail = heading === template.name ? [] : [{ title: template.name, href: base }];
  return (
    <AccountLayout title={heading} section={SECTION} trail={trail} {...more}>
      <nav class="page-tabs" aria-label={template.name}>
        <ul>
          {Object.entries(PAGES).map(([name, tab]) => (
            <li>
              <a href={name ? `${base}/${name}` : base} aria-current={name === current ? 'page' : undefined}>
                {tab}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {children}
    </AccountLayout>
  );
}

interface TemplateStateProps {
  template: Pick<Template, 'version' | 'publishedVersion'>;
  /** Time of the scheduled publication (UTC milliseconds). */
  publicationAt?: number | null;
}

/** Whether existing passes show the newest definition. */
export function TemplateState({ template, publicationAt }: TemplateStateProps) {
  if (template.publishedVersion >= template.version) return <Badge tone="good">Published</Badge>;
  if (publicationAt == null) return <Badge tone="careful">Draft changes</Badge>;
  return (
    <Badge tone="calm">
      Publishes <Time at={publicationAt} />
    </Badge>
  );
}

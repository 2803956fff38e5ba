import type { Child } from 'hono/jsx';
import { AccountLayout, type AccountLayoutProps } from '../console-layout.tsx';
import { sectionPath } from '../sections.ts';
import { hrefTo } from '../viewer.ts';

export const SECTION = 'templates';

/** The pages of a template, by the last part of their address. */
const PAGES = { '': 'Design', publish: 'Publish', notifications: 'Notifications', api: 'API' };
export type TemplatePageName = keyof typeof PAGES;

/** Returns the address of a template's page. */
export function templatePath(accountId: string, templateId: string, ...parts: string[]): string {
  return sectionPath(accountId, SECTION, templateId, ...parts);
}

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

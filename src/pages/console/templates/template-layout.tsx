import type { Child } from 'hono/jsx';
import { AccountLayout, type AccountLayoutProps } from '../console-layout.tsx';
import { sectionPath } from '../sections.ts';
import { hrefTo } from '../viewer.ts';

export const SECTION = 'templates';

/** Pages of one template, by the last part of their address. */
const PAGES = { '': 'Design', publish: 'Publish', notifications: 'Notifications', api: 'API' };
export type TemplatePageName = keyof typeof PAGES;

/** Address of a template's page. */
export function templatePath(accountId: string, templateId: string, ...parts: string[]): string {
  return sectionPath(accountId, SECTION, templateId, ...parts);
}

interface TemplateLayoutProps extends Pick<AccountLayoutProps, 'css' | 'scripts' | 'actions'> {
  template: { id: string; name: string };
  /** Which of its pages this is; one that is on none of the tabs has a title alone. */
  current?: TemplatePageName;
  /** Heading; default: what the tab is called, or the template's name. */
  title?: string;
  children: Child;
}

/** The frame of every page of one template, with the tabs that lead to the others. */
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

import type { Child } from 'hono/jsx';
import { AccountLayout, type AccountLayoutProps, type Frame } from '../console-layout.tsx';
import { sectionPath } from '../sections.ts';

export const SECTION = 'templates';

/** Pages of one template, by the last part of their address. */
const PAGES = { '': 'Design', publish: 'Publish', notifications: 'Notifications', api: 'API' };
export type TemplatePageName = keyof typeof PAGES;

/** Address of a template's page. */
export function templatePath(accountId: string, templateId: string, ...parts: string[]): string {
  return sectionPath(accountId, SECTION, templateId, ...parts);
}

interface TemplateLayoutProps extends Pick<AccountLayoutProps, 'styles' | 'scripts' | 'actions'> {
  frame: Frame;
  template: { id: string; name: string };
  /** Which of its pages this is; one that is on none of the tabs has a title alone. */
  current?: TemplatePageName;
  /** Heading; default: what the tab is called, or the template's name. */
  title?: string;
  children: Child;
}

/** The frame of every page of one template, with the tabs that lead to the others. */
export function TemplateLayout({ frame, template, current, title, children, ...more }: TemplateLayoutProps) {
  const base = templatePath(frame.account.id, template.id);
  const heading = title ?? (current ? PAGES[current] : template.name);
  const trail = heading === template.name ? [] : [{ title: template.name, href: base }];
  return (
    <AccountLayout frame={frame} title={heading} section={SECTION} trail={trail} {...more}>
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

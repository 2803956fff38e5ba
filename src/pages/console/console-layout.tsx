import type { Child } from 'hono/jsx';
import type { SignedInUser } from '../../domain/users/sessions.ts';
import { Brand, SERVICE_NAME } from '../home/brand.tsx';
import { Layout } from '../layout.tsx';
import { Confirm, type ConfirmProps } from './parts.tsx';
import { accountPath, GROUPS, type Section, sectionPath, sectionsFor } from './sections.ts';
import { useViewer } from './viewer.ts';

interface ConsoleLayoutProps {
  title: string;
  /** Absent before sign-in. */
  user?: SignedInUser;
  /** Scripts of this page. They come from this origin. */
  scripts?: string[];
  /** A page that only asks for a sign-in, as pages without a user are. */
  isNarrow?: boolean;
  children: Child;
}

/** The frame of pages outside an account. */
export function ConsoleLayout({ title, user, scripts, isNarrow = !user, children }: ConsoleLayoutProps) {
  return (
    <Page title={title} scripts={scripts}>
      <TopBar user={user} />
      <main class={isNarrow ? 'console narrow' : 'console'} id="content" tabindex={-1}>
        {children}
      </main>
    </Page>
  );
}

export interface AccountLayoutProps {
  title: string;
  /** The section of the page; absent on the overview. */
  section?: string;
  /** Pages between the section and this page. */
  trail?: Crumb[];
  /** Buttons and links beside the heading. */
  actions?: Child;
  /** CSS rules of this page. */
  css?: string;
  /** Scripts of this page. They come from this origin. */
  scripts?: string[];
  children: Child;
}

/** A parent page in the breadcrumbs. */
export interface Crumb {
  title: string;
  href: string;
}

/** The frame of an account's pages: the menu, breadcrumbs, heading and actions. */
export function AccountLayout(props: AccountLayoutProps) {
  const { title, section, trail = [], actions, css, scripts = [], children } = props;
  const { account, user, privileges, nonce } = useViewer();
  const styles = css === undefined ? undefined : { nonce, css };
  const shown = sectionsFor(privileges).find(({ id }) => id === section);
  const isBelow = shown !== undefined && shown.title !== title;
  const way = isBelow ? [{ title: shown.title, href: sectionPath(account.id, shown.id) }, ...trail] : trail;
  return (
    <Page title={section === undefined ? title : `${title} · ${account.name}`} styles={styles} scripts={scripts}>
      <TopBar user={user} menu />
      <div class="with-menu">
        <Menu section={section} />
        <main class="console" id="content" tabindex={-1}>
          {way.length > 0 && <Trail way={way} />}
          <header class="page-head">
            <h1>{title}</h1>
            {actions && <div class="actions">{actions}</div>}
          </header>
          {children}
        </main>
      </div>
    </Page>
  );
}

/** A page of an account that asks for confirmation before an action that can't be undone. */
export function ConfirmationPage(props: Pick<AccountLayoutProps, 'title' | 'section' | 'trail'> & ConfirmProps) {
  const { title, section, trail, ...confirm } = props;
  return (
    <AccountLayout title={title} section={section} trail={trail}>
      <Confirm {...confirm} />
    </AccountLayout>
  );
}

interface PageProps extends Pick<AccountLayoutProps, 'title' | 'scripts'> {
  styles?: { nonce: string; css: string };
  children: Child;
}

function Page({ title, styles, scripts = [], children }: PageProps) {
  return (
    <Layout language="en" title={`${title} · ${SERVICE_NAME}`} stylesheet="console/styles.css" styles={styles}>
      <a class="skip" href="#content">
        Skip to content
      </a>
      {children}
      {scripts.map((src) => (
        <script type="module" src={src} />
      ))}
    </Layout>
  );
}

/** Id of the menu, which is always visible on wide screens and opens above the page on narrow ones. */
const MENU = 'menu';

function TopBar({ user, menu = false }: { user?: SignedInUser; menu?: boolean }) {
  return (
    <header class="top-bar">
      {menu && (
        <button class="menu-button" type="button" popovertarget={MENU}>
          Menu
        </button>
      )}
      <Brand />
      <nav aria-label="Site">
        <a href="/docs">
          API<span class="where-wide"> reference</span>
        </a>
        {user?.isOperator && <a href="/console/service">Service</a>}
        {user && (
          <a href="/console/you">
            <span class="where-wide">{user.email}</span>
            <span class="where-narrow">Profile</span>
          </a>
        )}
      </nav>
    </header>
  );
}

function Menu({ section }: { section?: string }) {
  const { account, privileges, hasOthers } = useViewer();
  const sections = sectionsFor(privileges);
  const overview = accountPath(account.id);
  return (
    <nav class="side-menu" id={MENU} popover="auto" aria-label="Account">
      <p class="menu-account">
        {account.name}
        {hasOthers && <a href="/console">Other accounts</a>}
      </p>
      <ul>
        <li>
          <a href={overview} aria-current={section === undefined ? 'page' : undefined}>
            Overview
          </a>
        </li>
      </ul>
      {GROUPS.map((group) => (
        <MenuGroup
          title={group}
          sections={sections.filter((one) => one.group === group)}
          accountId={account.id}
          current={section}
        />
      ))}
    </nav>
  );
}

function MenuGroup(props: { title: string; sections: Section[]; accountId: string; current?: string }) {
  const { title, sections, accountId, current } = props;
  if (sections.length === 0) return null;
  const id = `menu-${title.toLowerCase()}`;
  return (
    <>
      <h2 id={id}>{title}</h2>
      <ul aria-labelledby={id}>
        {sections.map((one) => (
          <li>
            <a href={sectionPath(accountId, one.id)} aria-current={one.id === current ? 'page' : undefined}>
              {one.title}
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

function Trail({ way }: { way: Crumb[] }) {
  return (
    <nav class="trail" aria-label="Breadcrumb">
      <ol>
        {way.map(({ title, href }) => (
          <li>
            <a href={href}>{title}</a>
          </li>
        ))}
      </ol>
    </nav>
  );
}

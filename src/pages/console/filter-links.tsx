export interface FilterLink {
  title: string;
  href: string;
  current: boolean;
}

/** Links that filter a list. */
export function FilterLinks({ label, links }: { label: string; links: FilterLink[] }) {
  return (
    <nav class="filter-links" aria-label={label}>
      {links.map(({ title, href, current }) => (
        <a href={href} aria-current={current ? 'true' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
}

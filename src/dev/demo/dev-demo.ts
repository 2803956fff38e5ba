import type { Child } from 'hono/jsx';

/** What the front page of a local service has besides. */
export interface DevDemo {
  section: Child;
  /** Colors of the card that is shown. */
  css: string;
  /** Names of client files. */
  stylesheet: string;
  script: string;
}

import type { Child } from 'hono/jsx';

/** The demo that the front page of a local service adds. */
export interface DevDemo {
  section: Child;
  /** Colors of the card that is shown. */
  css: string;
  /** Names of client files. */
  stylesheet: string;
  script: string;
}

import { stylesheet } from '../assets.ts';
import code from '../home/code.css';
import frame from '../home/frame.css';
import base from '../styles/base.css';
import tokens from '../styles/tokens.css';
import certificates from './certificates/certificates.css';
import console from './console.css';
import filterLinks from './filter-links.css';
import messages from './messages/messages.css';
import settings from './settings/settings.css';
import webhooks from './webhooks/webhooks.css';

/** The stylesheet of all console pages. */
export const CONSOLE_STYLESHEET = stylesheet('console', [
  tokens,
  base,
  frame,
  code,
  console,
  filterLinks,
  webhooks,
  messages,
  certificates,
  settings,
]);

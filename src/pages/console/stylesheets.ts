import { stylesheet } from '../assets.ts';
import card from '../card/card.css';
import google from '../card/google.css';
import code from '../home/code.css';
import frame from '../home/frame.css';
import base from '../styles/base.css';
import tokens from '../styles/tokens.css';
import appConfigurations from './app-configurations/app-configurations.css';
import certificates from './certificates/certificates.css';
import console from './console.css';
import filterLinks from './filter-links.css';
import messages from './messages/messages.css';
import overview from './overview/overview.css';
import passes from './passes/passes.css';
import scans from './scans/scans.css';
import settings from './settings/settings.css';
import statistics from './statistics/statistics.css';
import designer from './templates/designer/designer.css';
import templates from './templates/templates.css';
import webhooks from './webhooks/webhooks.css';

/** The stylesheet of all console pages. */
export const CONSOLE_STYLESHEET = stylesheet('console', [
  tokens,
  base,
  frame,
  code,
  card,
  google,
  console,
  passes,
  templates,
  designer,
  appConfigurations,
  scans,
  statistics,
  overview,
  filterLinks,
  webhooks,
  messages,
  certificates,
  settings,
]);

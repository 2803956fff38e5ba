import { stylesheet } from '../assets.ts';
import code from '../home/code.css';
import frame from '../home/frame.css';
import base from '../styles/base.css';
import tokens from '../styles/tokens.css';
import appConfigurations from './app-configurations/app-configurations.css';
import console from './console.css';
import overview from './overview/overview.css';
import scans from './scans/scans.css';
import statistics from './statistics/statistics.css';

/** The stylesheet of all console pages. */
export const CONSOLE_STYLESHEET = stylesheet('console', [
  tokens,
  base,
  frame,
  code,
  console,
  appConfigurations,
  scans,
  statistics,
  overview,
]);

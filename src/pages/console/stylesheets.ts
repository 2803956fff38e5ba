import { stylesheet } from '../assets.ts';
import code from '../home/code.css';
import frame from '../home/frame.css';
import base from '../styles/base.css';
import tokens from '../styles/tokens.css';
import console from './console.css';

/** The stylesheet of all console pages. */
export const CONSOLE_STYLESHEET = stylesheet('console', [tokens, base, frame, code, console]);

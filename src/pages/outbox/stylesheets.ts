import { stylesheet } from '../assets.ts';
import code from '../home/code.css';
import frame from '../home/frame.css';
import base from '../styles/base.css';
import tokens from '../styles/tokens.css';
import outbox from './outbox.css';

/** The stylesheet of the outbox. */
export const OUTBOX_STYLESHEET = stylesheet('outbox', [tokens, base, frame, code, outbox]);

import { stylesheet } from '../assets.ts';
import code from '../home/code.css';
import frame from '../home/frame.css';
import base from '../styles/base.css';
import tokens from '../styles/tokens.css';
import docs from './docs.css';

/** The stylesheet of the API reference. */
export const DOCS_STYLESHEET = stylesheet('docs', [tokens, base, frame, code, docs]);

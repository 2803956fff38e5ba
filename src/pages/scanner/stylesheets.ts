import { stylesheet } from '../assets.ts';
import base from '../styles/base.css';
import tokens from '../styles/tokens.css';
import result from './result.css';
import scanner from './scanner.css';
import sheets from './sheets.css';

/** The stylesheet of the scanner app. */
export const SCANNER_STYLESHEET = stylesheet('scanner', [tokens, base, scanner, sheets, result]);

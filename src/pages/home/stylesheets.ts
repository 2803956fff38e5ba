import { stylesheet } from '../assets.ts';
import base from '../styles/base.css';
import tokens from '../styles/tokens.css';
import code from './code.css';
import frame from './frame.css';
import home from './home.css';

/** The stylesheet of the front page. */
export const HOME_STYLESHEET = stylesheet('home', [tokens, base, frame, code, home]);

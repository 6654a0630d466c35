// Installs the dependencies when they are missing or have changed.
import './lib/node-version.mjs';
import { ensureInstalled } from './lib/install.mjs';

await ensureInstalled();

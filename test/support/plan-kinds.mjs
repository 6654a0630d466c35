// What the generator makes of its options, for many at once, without writing anything: run in a project, the options as a
// JSON list in argv[2], those with a `number` for a version of the API; answers {keywords, answers} as JSON, each answer a
// refusal or null.
import { apiVersion } from '../../schematics/api-version/index.mjs';
import { kind } from '../../schematics/kind/index.mjs';
import { SQL_KEYWORDS } from '../../schematics/kind/keywords.mjs';

const refusalOf = (options) => {
  try {
    ('number' in options ? apiVersion : kind)(options)();
    return null;
  } catch (error) {
    return error.name === 'Error' ? error.message : String(error.stack);
  }
};

const answers = JSON.parse(process.argv[2]).map(refusalOf);
process.stdout.write(JSON.stringify({ keywords: [...SQL_KEYWORDS], answers }));

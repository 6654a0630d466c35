import { apply, applyTemplates, chain, mergeWith, move, url } from '@angular-devkit/schematics';
import { posix } from 'node:path';
import { addToList, importPath } from '../lib/edit.mjs';
import { formatted } from '../lib/format.mjs';
import { Project } from '../lib/project.mjs';
import { planVersion } from './plan.mjs';

const APP_MODULE = 'src/app.module.ts';

/** `nest g api-version`: the newest version of the API once more, as classes that extend it, in src/versions/. */
export function apiVersion(options) {
  return () => {
    const project = new Project(process.cwd());
    const plan = planVersion(options.number, project);
    const list = { file: APP_MODULE, list: 'VERSIONS', name: plan.module };
    const module = `./${posix.relative('src', plan.folder)}/${plan.version}.module.js`;
    const text = addToList(project.text(APP_MODULE), { ...list, module });
    const write = (folder, template, values) =>
      mergeWith(apply(url(`./files/${template}`), [applyTemplates(values), move(folder)]));
    return chain([
      ...plan.heirs.map((heir) => write(posix.dirname(heir.file), 'class', classValues(heir, plan))),
      write(plan.folder, 'version', moduleValues(plan)),
      (tree) => tree.overwrite(APP_MODULE, text),
      formatted(),
    ]);
  };
}

const WHAT = {
  entity: ({ base }, number) => `${base} in version ${number} of the API: what differs stands here.`,
  service: ({ base }, number) =>
    `The hooks of ${base} in version ${number} of the API, and what it adds to them.`,
  controller: ({ base }, number) =>
    `The routes of ${base} in version ${number} of the API, and what it adds to them.`,
};

function classValues(heir, { number, version, heirs }) {
  const { role, name, base, baseFile, file } = heir;
  const from = (path) => importPath(file, path);
  const imports = [{ name: base, from: from(baseFile) }];
  let decorator = '@Injectable()';
  if (role === 'service') imports.push({ name: 'Injectable', from: '@nestjs/common' });
  if (role === 'entity') {
    decorator = `@KindVersion('${version}')`;
    imports.push({ name: 'KindVersion', from: from('src/record/schema/kind-version.ts') });
  }
  if (role === 'controller' && heir.entity) {
    const entity = heirs.find((one) => one.base === heir.entity.name);
    decorator = `@KindController(${entity.name})`;
    imports.push({ name: 'KindController', from: from('src/record/record.controller.ts') });
    imports.push({ name: entity.name, from: from(entity.file) });
  } else if (role === 'controller') {
    decorator = `@Controller({ path: '${heir.path}', version: '${version}' })`;
    imports.push({ name: 'Controller', from: '@nestjs/common' });
  }
  return {
    file: posix.basename(file, '.ts'),
    imports: sorted(imports),
    sentence: WHAT[role](heir, number),
    decorator,
    name,
    base,
  };
}

function moduleValues({ number, version, folder, records, kinds, module, heirs, modules }) {
  const own = `${folder}/${version}.module.ts`;
  const of = (role) => heirs.filter((heir) => heir.role === role).sort((a, b) => (a.name < b.name ? -1 : 1));
  const services = of('service');
  const roots = services.map(({ root, rootFile }) => ({ name: root, file: rootFile }));
  const files = [
    ...of('controller'),
    ...services,
    ...roots,
    ...modules,
    { name: records, file: `${folder}/${version}.records.ts` },
  ];
  return {
    number,
    version,
    records,
    kinds,
    module,
    modules: modules.map(({ name }) => name),
    controllers: of('controller').map(({ name }) => name),
    providers: services.map(({ root, name }) => `{ provide: ${root}, useClass: ${name} }`).join(', '),
    imports: sorted(files.map(({ name, file }) => ({ name, from: importPath(own, file) }))),
  };
}

/** Packages first, then by path, as the project has its imports. */
function sorted(imports) {
  const key = ({ from, name }) => `${from.startsWith('.') ? '1' : '0'}${from} ${name}`;
  return [...imports].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

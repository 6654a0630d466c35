// Who may see and change what: src/record/access.ts.
const file = 'src/record/access.ts';

export const tests = ['src/record/access.spec', 'test/cases/visibility', 'test/access-matrix'];

export const mutants = [
  {
    name: 'a role of the owner list gives every row',
    file,
    from: "for (const role of kind.ownerRoles) if (viewer.roles.has(role)) return 'all';",
    to: "for (const role of kind.ownerRoles) if (viewer.roles.has(role)) return 'owned';",
  },
];

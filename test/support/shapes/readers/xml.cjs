exports.default = (body) =>
  [...body.matchAll(/<(?:entry|profile|rule|mark) (.*?)\/>/g)].map(([, attributes]) =>
    Object.fromEntries([...attributes.matchAll(/(\w+)="(.*?)"/g)].map(([, name, value]) => [name, value])),
  );

/** Samples for each language, with all kinds of definitions that its structure must show in the profile espalier. */

export interface Sample {
  path: string;
  text: string;
  kinds: string;
}

export const SAMPLES: Record<string, Sample> = {
  javascript: {
    path: "queue.mjs",
    kinds:
      "import_statement class_declaration field_definition constructor method_definition while_statement if_statement return_statement " +
      "class_static_block labeled_statement continue_statement switch_statement switch_case switch_default generator_function_declaration comment",
    text: `import { a } from "a";

/** A queue. */
export class Queue extends Base {
  #items = [];
  static { Queue.made = 0; }
  constructor(size) {
    super(size);
  }

  // Takes all.
  drain(f) {
    outer: while (this.#items.length) {
      const item = this.#items.pop();
      if (!item) continue outer;
      else if (item.x) f(() => { return 1; });
      else f(item);
    }
    switch (f.length) { case 1: f(); break; default: f(2); }
    return this;
  }
}

function* numbers() { yield 1; }
export default () => { debugger; };
`,
  },
  javascriptreact: {
    path: "view.jsx",
    kinds: "jsx_element jsx_self_closing_element return_statement function_declaration",
    text: "export function View({ items }) {\n  return (\n    <ul>\n      {items.map((item) => <li key={item}>{item}</li>)}\n      <br />\n    </ul>\n  );\n}\n",
  },
  typescript: {
    path: "stock.ts",
    kinds:
      "interface_declaration property_signature method_signature type_alias_declaration enum_declaration enum_assignment property_identifier " +
      "abstract_class_declaration abstract_method_signature public_field_definition while_statement function_signature",
    text: `export interface Ledger {
  readonly name: string;
  total(article: string): number;
  [key: string]: unknown;
}
type Point = { x: number; y(): number; new (z: 1): Point };
enum Way { In = "in", Out }
declare module "x" { export const y: number; }
namespace Inner { export const z = 1; }
function over(a: string): void;
function over(a: number): void;
function over(a: unknown) { while (a) a = undefined; }
abstract class Shape<T> implements Ledger {
  private size?: T;
  abstract area(): number;
  constructor(readonly name: string) { super(); }
  get total(): number { return 1 as const; }
}
`,
  },
  typescriptreact: {
    path: "app.tsx",
    kinds: "jsx_element jsx_self_closing_element lexical_declaration interface_declaration",
    text: "interface Props { items: string[] }\nexport const App = ({ items }: Props) => {\n  return <ul>\n    {items.map((item) => <li>{item}</li>)}\n    <hr />\n  </ul>;\n};\n",
  },
  python: {
    path: "report.py",
    kinds:
      "import_statement import_from_statement comment class_definition decorated_definition function_definition match_statement case_clause " +
      "while_statement for_statement with_statement try_statement return_statement raise_statement expression_list",
    text: `"""Report."""
import sys
from collections import Counter

# Limits.
LIMIT = 20

class Report(Base):
    x: int = 1

    @property
    def name(self):
        a, b = 1, 2
        match a:
            case 1:
                return b
            case _:
                pass
        while a: a -= 1
        for i in range(3):
            print(i, end="")
        with open("x") as f:
            del f
        try:
            assert a
        except ValueError:
            raise
`,
  },
  ruby: {
    path: "task.rb",
    kinds:
      "module class method singleton_method singleton_class unless until if case when while begin rescue ensure call assignment comment",
    text: `# Tasks.
module Work
  class Task < Base
    attr_reader :name

    class << self
      def make = new
    end

    def self.all
      @all ||= []
    end

    def run(x)
      total = 0
      unless x
        return
      end
      until total > 3 do total += 1 end
      while total < 9
        total += 1
      end
      case x
      when 1 then puts "one"
      else puts "more"
      end
      begin
        work!
      rescue StandardError => e
        if e then puts e end
      ensure
        done
      end
    end
  end
end
`,
  },
  rust: {
    path: "queue.rs",
    kinds:
      "use_declaration const_item static_item type_item struct_item field_declaration enum_item enum_variant trait_item impl_item function_item " +
      "function_signature_item mod_item macro_definition macro_invocation let_declaration expression_statement match_arm line_comment attribute_item " +
      "inner_attribute_item associated_type",
    text: `#![allow(dead_code)]
use std::collections::HashMap;

const MOST: usize = 3;
static NAME: &str = "q";
type Map = HashMap<u8, u8>;

/// A queue.
#[derive(Debug)]
pub struct Queue<T> {
    items: Vec<T>,
    most: usize,
}

enum Way { In, Out(u8) }

trait Drain { type Item; fn drain(&mut self); }

impl<T> Drain for Queue<T> {
    type Item = T;
    // All of it.
    fn drain(&mut self) {
        let n = self.items.len();
        match n {
            0 => return,
            _ => { self.most = n; }
        }
        if n > 1 { self.items.clear(); }
        println!("{n}");
    }
}

macro_rules! m { () => {}; }
m! {}
mod tests { fn t() {} }
`,
  },
  go: {
    path: "server.go",
    kinds:
      "package_clause import_declaration const_declaration const_spec var_declaration var_spec type_declaration type_spec field_declaration method_elem " +
      "function_declaration method_declaration if_statement for_statement expression_switch_statement expression_case default_case select_statement " +
      "communication_case type_switch_statement type_case comment assignment_statement return_statement",
    text: `package main

import (
	"fmt"
)

const (
	A = 1
	B = 2
)

var x, y = 1, 2

// Server serves.
type Server struct {
	name string
	port int
}

type Doer interface {
	Do(x int) error
}

func (s *Server) Run(ch chan int) error {
	if err := s.open(); err != nil {
		return err
	} else if x > 1 {
		x--
	}
	for i := 0; i < 3; i++ {
		fmt.Println(i)
	}
	switch x {
	case 1:
		y = 2
	default:
		y = 3
	}
	select {
	case v := <-ch:
		fmt.Println(v)
	case ch <- 1:
		return nil
	}
	var any interface{} = x
	switch any.(type) {
	case int:
		return nil
	}
	defer func() { recover() }()
	return nil
}

func main() {}
`,
  },
  java: {
    path: "Planner.java",
    kinds:
      "package_declaration import_declaration class_declaration field_declaration constructor_declaration method_declaration interface_declaration " +
      "enum_declaration enum_constant record_declaration static_initializer if_statement for_statement enhanced_for_statement while_statement " +
      "local_variable_declaration switch_expression try_statement throw_statement line_comment block_comment annotation_type_declaration",
    text: `package plan;

import java.util.List;

/** Plans. */
public class Planner extends Base {
    private final List<String> steps;
    static { System.out.println("x"); }

    public Planner(List<String> steps) {
        super();
        this.steps = steps;
    }

    // Runs.
    int run(int n) {
        for (int i = 0; i < n; i++) { step(i); }
        for (String s : steps) step(s);
        while (n > 0) n--;
        if (n == 0) { return 1; } else if (n == 1) return 2;
        switch (n) { case 1: step(1); break; default: step(2); }
        int v = switch (n) { case 1 -> 2; default -> { yield 3; } };
        try { step(() -> { return 1; }); } catch (Exception e) { throw e; }
        class Local {}
        return v;
    }

    interface Step { void go(); }
    enum Way { IN, OUT }
    record Point(int x, int y) {}
    @interface Mark {}
}
`,
  },
  c: {
    path: "list.c",
    kinds:
      "preproc_include preproc_def preproc_function_def preproc_ifdef declaration type_definition function_definition struct_specifier field_declaration " +
      "enum_specifier enumerator union_specifier comment if_statement for_statement while_statement switch_statement case_statement return_statement",
    text: `#include <stdio.h>
#define MOST 3
#define TWICE(x) ((x) * 2)
#ifdef DEBUG
int debug;
#endif

/* A list. */
struct list {
    int value;
    struct list *next;
};
typedef struct { int x; } point;
enum way { IN, OUT };
union both { int i; float f; };

static int sum(struct list *l) {
    int total = 0;
    for (int i = 0; i < MOST; i++) total += i;
    while (l) {
        total += l->value;
        l = l->next;
    }
    if (total) { return total; } else if (l) return 1;
    switch (total) { case 0: break; default: total = 1; }
    return 0;
}
`,
  },
  cpp: {
    path: "list.hpp",
    kinds:
      "preproc_include namespace_definition using_declaration alias_declaration template_declaration class_specifier access_specifier field_declaration " +
      "function_definition for_range_loop for_statement if_statement switch_statement case_statement try_statement throw_statement enum_specifier " +
      "enumerator comment declaration return_statement",
    text: `#include <vector>

namespace app {
using std::vector;
using Ints = vector<int>;
enum class Way { In, Out };

// A list.
template <typename T>
class List : public Base {
public:
    explicit List(int n) : n_(n) {}
    void each() {
        for (auto &x : items_) { use(x); }
        for (int i = 0; i < 3; i++) use(i);
        if (n_) { use(1); } else if (n_ > 2) use(2);
        switch (n_) { case 1: break; default: use(3); }
        try { go(); } catch (...) { throw; }
    }
private:
    vector<T> items_;
    int n_ = 0;
};

int main() {
    auto f = [](int x) { return x; };
    return f(0);
}
}
`,
  },
  csharp: {
    path: "Account.cs",
    kinds:
      "using_directive namespace_declaration class_declaration field_declaration property_declaration event_field_declaration constructor_declaration " +
      "destructor_declaration method_declaration operator_declaration indexer_declaration enum_declaration enum_member_declaration struct_declaration " +
      "record_declaration interface_declaration delegate_declaration if_statement switch_statement switch_section while_statement do_statement " +
      "using_statement lock_statement yield_statement foreach_statement local_function_statement preproc_region comment",
    text: `using System;

namespace Bank
{
    /// <summary>An account.</summary>
    public class Account : Base
    {
        private int total;
        public string Name { get; set; }
        public event EventHandler Changed;
        #region made
        public Account(string name) { Name = name; }
        ~Account() { }
        #endregion
        public static Account operator +(Account a, Account b) { return a; }
        public int this[int i] { get { return i; } }

        public IEnumerable<int> All(int n)
        {
            int Twice(int x) { return x * 2; }
            foreach (var i in list) { yield return i; }
            if (n > 0) { total = 1; } else if (n < 0) total = 2;
            switch (n) { case 1: total = 3; break; default: total = 4; break; }
            while (n > 0) n--;
            do { n++; } while (n < 3);
            using (var f = Open()) { f.Read(); }
            lock (this) { total = 0; }
        }
    }
    enum Way { In, Out }
    struct Point { public int X; }
    record Pair(int A, int B);
    interface IDo { void Do(); }
    delegate void Done(int x);
}
`,
  },
  php: {
    path: "cart.php",
    kinds:
      "namespace_definition namespace_use_declaration class_declaration use_declaration const_declaration property_declaration method_declaration " +
      "interface_declaration trait_declaration enum_declaration enum_case function_definition if_statement foreach_statement for_statement while_statement " +
      "switch_statement case_statement default_statement try_statement return_statement echo_statement comment expression_statement",
    text: `<?php
namespace Shop;

use Shop\\Item;

/** A cart. */
class Cart extends Base
{
    use Counts;
    const MOST = 3;
    private array $items = [];

    // Adds.
    public function add(Item $item): void
    {
        if ($item) { $this->items[] = $item; } elseif ($x) { return; } else echo "no";
        foreach ($this->items as $i) { echo $i; }
        for ($i = 0; $i < 3; $i++) { $x = function () { return 1; }; }
        while ($x) { $x--; }
        switch ($x) { case 1: break; default: $x = 2; }
        try { go(); } catch (E $e) { throw $e; }
        return;
    }
}

interface Priced { public function price(); }
trait Counts { function count() { return 1; } }
enum Way: string { case In = 'in'; case Out = 'out'; }
function total($a) { return $a; }
?>
<p>html</p>
`,
  },
};
